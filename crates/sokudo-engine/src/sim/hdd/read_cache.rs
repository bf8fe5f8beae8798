//! The part of the drive's memory that holds what was read, and the read-ahead
//! that goes on as long as the head has nothing else to do.

use super::geometry::Geometry;

/// Drives keep some ten streams apart.
const SEGMENTS: u64 = 16;

/// Segments of consecutive bytes, the least recently used of which gives way.
#[derive(Debug)]
pub(super) struct ReadCache {
    segments: Vec<Segment>,
    segment_bytes: u64,
    stream: Option<Stream>,
    uses: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    start: u64,
    end: u64,
    used: u64,
}

/// The head is reading on: at `anchor_ns` it had reached `anchor_media_ns`. It
/// stops at `limit`.
#[derive(Clone, Copy, Debug)]
struct Stream {
    segment: usize,
    anchor_ns: u64,
    anchor_media_ns: u64,
    limit: u64,
}

/// Bytes from `start` to before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Stream {
    /// When the byte before `end`, at most `limit`, has been read.
    fn arrival_ns(&self, geometry: &Geometry, end: u64) -> u64 {
        self.anchor_ns
            + geometry
                .end_media_ns(end)
                .saturating_sub(self.anchor_media_ns)
    }

    /// The same stream when it must go on to `limit`: if it has stopped by now, it
    /// resumes when the platters have come round.
    fn prolonged(self, geometry: &Geometry, now_ns: u64, limit: u64) -> Self {
        if limit <= self.limit {
            return self;
        }
        let stopped = self.arrival_ns(geometry, self.limit) < now_ns;
        let resumed = match stopped {
            false => self,
            true => {
                let position = geometry.position(self.limit);
                Self {
                    anchor_ns: now_ns + geometry.wait_ns(now_ns, position),
                    anchor_media_ns: position.media_ns,
                    ..self
                }
            }
        };
        Self { limit, ..resumed }
    }
}

impl ReadCache {
    pub(super) fn new(bytes: u64) -> Self {
        Self {
            segments: (0..SEGMENTS).map(|_| Segment::default()).collect(),
            segment_bytes: bytes / SEGMENTS,
            stream: None,
            uses: 0,
        }
    }

    /// Whether all of this has been read, and was used just now.
    pub(super) fn take(&mut self, geometry: &Geometry, now_ns: u64, range: Range) -> bool {
        if let Some(arrival_ns) = self.arrival_ns(geometry, now_ns, range)
            && arrival_ns <= now_ns
        {
            self.follow(geometry, now_ns, range);
            return true;
        }
        let held = self
            .segments
            .iter()
            .position(|segment| segment.start <= range.start && range.end <= segment.end);
        if let Some(index) = held {
            self.use_segment(index);
        }
        held.is_some()
    }

    /// When the read-ahead has all of this, if it is on its way.
    pub(super) fn arrival_ns(&self, geometry: &Geometry, now_ns: u64, range: Range) -> Option<u64> {
        let stream = self.stream?;
        let segment = self.segments[stream.segment];
        if !(segment.start..=stream.limit).contains(&range.start) {
            return None;
        }
        let stream = stream.prolonged(geometry, now_ns, range.end);
        Some(stream.arrival_ns(geometry, range.end))
    }

    /// Reads on to half a segment behind this range, which must be on its way.
    pub(super) fn follow(&mut self, geometry: &Geometry, now_ns: u64, range: Range) {
        let limit = self.limit_after(geometry, range.end);
        if let Some(stream) = &mut self.stream {
            *stream = stream.prolonged(geometry, now_ns, limit);
            let index = stream.segment;
            let segment = &mut self.segments[index];
            let kept = range.end.saturating_sub(self.segment_bytes / 2);
            segment.start = segment.start.max(kept);
            self.use_segment(index);
        }
    }

    /// The head has just read this from the platters and reads on.
    pub(super) fn begin(&mut self, geometry: &Geometry, now_ns: u64, range: Range) {
        let oldest = (0..self.segments.len())
            .min_by_key(|index| self.segments[*index].used)
            .expect("there are always SEGMENTS segments");
        self.segments[oldest] = Segment {
            start: range
                .start
                .max(range.end.saturating_sub(self.segment_bytes)),
            end: range.end,
            used: 0,
        };
        self.use_segment(oldest);
        self.stream = Some(Stream {
            segment: oldest,
            anchor_ns: now_ns,
            anchor_media_ns: geometry.end_media_ns(range.end),
            limit: self.limit_after(geometry, range.end),
        });
    }

    /// How far the head has read on; `None` when it does not.
    pub(super) fn reached(&self, geometry: &Geometry, now_ns: u64) -> Option<u64> {
        let stream = self.stream?;
        let passed_ns = now_ns.saturating_sub(stream.anchor_ns);
        Some(
            geometry
                .passed(stream.anchor_media_ns + passed_ns)
                .max(self.segments[stream.segment].end)
                .min(stream.limit),
        )
    }

    /// The head leaves: what has been read so far stays.
    pub(super) fn stop(&mut self, geometry: &Geometry, now_ns: u64) {
        if let Some(reached) = self.reached(geometry, now_ns)
            && let Some(stream) = self.stream.take()
        {
            let segment = &mut self.segments[stream.segment];
            segment.end = segment.end.max(reached);
            let kept = segment.end.saturating_sub(self.segment_bytes);
            segment.start = segment.start.max(kept);
        }
    }

    /// This is about to be overwritten.
    pub(super) fn forget(&mut self, geometry: &Geometry, now_ns: u64, range: Range) {
        if let Some(stream) = self.stream
            && range.start < stream.limit
            && range.end > self.segments[stream.segment].start
        {
            self.stop(geometry, now_ns);
        }
        for segment in &mut self.segments {
            if range.start < segment.end && range.end > segment.start {
                *segment = Segment::default();
            }
        }
    }

    fn limit_after(&self, geometry: &Geometry, end: u64) -> u64 {
        (end + self.segment_bytes / 2).min(geometry.size())
    }

    fn use_segment(&mut self, index: usize) {
        self.uses += 1;
        self.segments[index].used = self.uses;
    }
}
