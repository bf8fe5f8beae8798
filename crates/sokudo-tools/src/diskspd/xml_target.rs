//! `<Target>` of an XML profile.

use sokudo_model::{Bytes, narrow};

use crate::diskspd::session::{
    DiskspdContent, DiskspdDistribution, DiskspdTarget, DiskspdThroughput, DiskspdWriteThrough,
};
use crate::language::limits::{DEPTH_MAX_IO_URING, THREADS_MAX};

use super::error::DiskspdProblem;
use super::value;
use super::xml::{Element, ProfileReader, Reading, Refusal, by_name, each_by_name, elements, text};

impl<'a> ProfileReader<'a> {
    pub(super) fn target(&mut self, parent: Element<'a>) -> Reading<'a, DiskspdTarget> {
        let mut target = DiskspdTarget::default();
        let some = |bytes: Bytes| (bytes > Bytes(0)).then_some(bytes);
        // Without <Random>, <StrideSize> counts, wherever it stands.
        let (mut random, mut stride, mut ratio) = (None, None, None);
        each_by_name! { self, parent, node:
            "Path" => target.path = self.substituted(node)?,
            "BlockSize" => target.block = Bytes(self.number(node, 1, u32::MAX)?.into()),
            "StrideSize" => stride = Some(self.bytes(node)?),
            "InterlockedSequential" => target.interlocked = self.boolean(node)?,
            "BaseFileOffset" => target.base = self.bytes(node)?,
            "SequentialScan" => target.sequential_hint = self.boolean(node)?,
            "RandomAccess" => target.random_hint = self.boolean(node)?,
            "TemporaryFile" => target.temporary_hint = self.boolean(node)?,
            "UseLargePages" => target.large_pages = self.boolean(node)?,
            "RequestCount" => target.requests = self.number(node, 1, DEPTH_MAX_IO_URING)?,
            "Random" => random = Some(self.bytes(node)?),
            "RandomRatio" => ratio = Some(narrow(self.number(node, 1, 100)?)),
            "Distribution" => target.distribution = Some(self.distribution(node)?),
            "DisableAllCache" => if self.boolean(node)? {
                target.unbuffered = true;
                target.write_through = DiskspdWriteThrough::Data;
            },
            "DisableLocalCache" => self.idle(node, !self.boolean(node)?, "no file system of Linux can bypass the local cache alone; use <DisableOSCache>")?,
            "DisableOSCache" => target.unbuffered |= self.boolean(node)?,
            "WriteThrough" => if self.boolean(node)? {
                target.write_through = DiskspdWriteThrough::Data;
            },
            "MemoryMappedIo" => target.mapped = self.boolean(node)?,
            "FlushType" => match text(node) {
                "ViewOfFile" => target.flush_mapped = true,
                "NonVolatileMemory" | "NonVolatileMemoryNoDrain" => self.idle(node, false, "it needs memory that is persistent itself; ViewOfFile flushes through the system")?,
                _ => return Err(self.bad(node, "ViewOfFile")),
            },
            "WriteBufferContent" => target.content = self.content(node)?,
            "BurstSize" => target.burst = self.number(node, 0, u32::MAX)?,
            "ThinkTime" => target.think_ms = self.number(node, 0, u32::MAX)?,
            "Throughput" => target.throughput = self.throughput(node)?,
            "ThreadsPerFile" => target.threads = self.number(node, 1, THREADS_MAX)?,
            "FileSize" => target.create = some(self.bytes(node)?),
            "MaxFileSize" => target.max = some(self.bytes(node)?),
            "WriteRatio" => target.write_percent = narrow(self.number(node, 0, 100)?),
            "ParallelAsyncIO" => target.parallel = self.boolean(node)?,
            "ThreadStride" => target.thread_stride = self.bytes(node)?,
            "IOPriority" => self.idle(node, !matches!(self.number(node, 0, 3)?, 1 | 2), "priorities 1 and 2 need the scheduler's help; run it under `ionice`, which every thread inherits")?,
            "Weight" => self.idle(node, self.number(node, 0, u32::MAX)? == 1, "targets of a thread are drawn alike; leave out <Weight>, or give each target threads of its own")?,
            "ThreadTargets" => self.idle(node, false, "every thread of <ThreadCount> uses every target; use <ThreadsPerFile> instead")?,
        }
        if target.path.is_empty() && !self.is_tolerant {
            return Err(self.missing(parent, "Path", "the file or device of the target"));
        }
        target.stride = random.or(stride);
        if random == Some(Bytes(0)) && !self.is_tolerant {
            return Err(self.bad(parent, "<Random> with an alignment above 0"));
        }
        if random.is_some() || ratio.is_some() {
            target.random_percent = ratio.unwrap_or(100);
        }
        Ok(target)
    }

    fn substituted(&mut self, node: Element<'a>) -> Reading<'a, String> {
        let path = node.text().unwrap_or_default();
        let Some(number) = path.strip_prefix('*').filter(|_| !self.is_tolerant) else {
            return Ok(path.to_owned());
        };
        let expected = "a path, or *1, *2, … for a target of the command line";
        let number =
            value::number_within(number, 1, u32::MAX).and_then(|n| usize::try_from(n).ok());
        let number = number.ok_or_else(|| self.bad(node, expected))?;
        match self.templates.get(number - 1) {
            Some(path) => {
                self.used[number - 1] = true;
                Ok(path.clone())
            }
            None => {
                let named = self.templates.len();
                Err((node, DiskspdProblem::NoTemplate { number, named }))
            }
        }
    }

    fn throughput(&self, node: Element<'a>) -> Reading<'a, Option<DiskspdThroughput>> {
        let number = u64::from(self.number(node, 0, u32::MAX)?);
        Ok(match (number, node.attribute("unit")) {
            (0, _) => None,
            (number, Some("IOPS")) => Some(DiskspdThroughput::Iops(number)),
            (number, None | Some("BPMS")) => Some(DiskspdThroughput::BytesPerMillisecond(number)),
            _ => return Err(self.bad(node, "the unit IOPS or BPMS")),
        })
    }

    fn distribution(&self, parent: Element<'a>) -> Reading<'a, DiskspdDistribution> {
        let expected = "<Absolute> or <Percent> with <Range IO=\"percent\">length</Range>";
        let kind = elements(parent)
            .next()
            .ok_or_else(|| self.bad(parent, expected))?;
        let absolute = by_name! { self, kind: "Absolute" => true, "Percent" => false, };
        let mut ranges = Vec::new();
        for node in elements(kind) {
            let share = node.attribute("IO").unwrap_or_default();
            let share = value::number_within(share, 0, 100).map(narrow);
            let share = share.ok_or_else(|| self.bad(node, expected))?;
            ranges.push((share, self.bytes(node)?.0));
        }
        match ranges.is_empty() {
            true => Err(self.bad(parent, expected)),
            false => Ok(DiskspdDistribution { absolute, ranges }),
        }
    }

    fn content(&self, parent: Element<'a>) -> Reading<'a, DiskspdContent> {
        let mut pattern = None;
        let mut source = None;
        for node in elements(parent) {
            by_name! { self, node:
                "Pattern" => pattern = Some((node, text(node))),
                "RandomDataSource" => source = Some(self.source(node)?),
            }
        }
        match pattern {
            None | Some((_, "sequential")) => Ok(DiskspdContent::Sequence),
            Some((_, "zero")) => Ok(DiskspdContent::Zero),
            Some((_, "random")) => Ok(source.unwrap_or(DiskspdContent::Random)),
            Some((node, _)) => Err(self.bad(node, "sequential, zero or random")),
        }
    }

    fn source(&self, parent: Element<'a>) -> Reading<'a, DiskspdContent> {
        let (mut bytes, mut file) = (Bytes(0), None);
        for node in elements(parent) {
            by_name! { self, node:
                "SizeInBytes" => bytes = self.bytes(node)?,
                "FilePath" => file = node.text().map(str::to_owned),
            }
        }
        match bytes {
            Bytes(0) => Err(self.bad(parent, "<SizeInBytes> above 0")),
            bytes => Ok(DiskspdContent::Source { bytes, file }),
        }
    }
}
