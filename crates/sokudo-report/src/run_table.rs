//! Runs beside each other: their rows, joined once. Every document of several runs is a view of
//! such a table.

/// Runs (columns) × rows: which row of each run stands in which line.
#[derive(Debug, PartialEq, Eq)]
pub struct RunTable {
    /// The number of each run's row, where it has one that belongs there.
    pub lines: Vec<Vec<Option<usize>>>,
}

/// Whether rows that are recognised by these belong together.
pub type Belongs<K> = fn(&K, &K) -> bool;

impl RunTable {
    /// The rows of runs, by what they are recognised by. Those of the first run come first; a row
    /// of another stands in a line whose first row it belongs to, by the first rule of which that
    /// can be said, or in one of its own. Among several alike, the first belongs to the first.
    pub fn joined<K>(runs: &[&[K]], rules: &[Belongs<K>]) -> Self {
        let mut lines: Vec<Vec<Option<usize>>> = Vec::new();
        let mut firsts: Vec<&K> = Vec::new();
        for (run, keys) in runs.iter().enumerate() {
            let mut line_of: Vec<Option<usize>> = vec![None; keys.len()];
            for belongs in rules {
                for (line, first) in firsts.iter().enumerate() {
                    if lines[line][run].is_some() {
                        continue;
                    }
                    let fits = |row: &usize| line_of[*row].is_none() && belongs(first, &keys[*row]);
                    if let Some(row) = (0..keys.len()).find(fits) {
                        line_of[row] = Some(line);
                        lines[line][run] = Some(row);
                    }
                }
            }
            for row in (0..keys.len()).filter(|row| line_of[*row].is_none()) {
                let mut line = vec![None; runs.len()];
                line[run] = Some(row);
                lines.push(line);
                firsts.push(&keys[row]);
            }
        }
        Self { lines }
    }

    /// The rows of the first run and of this other one that stand in one line.
    pub fn pairs(&self, other: usize) -> impl Iterator<Item = [usize; 2]> {
        let pairs = self.lines.iter();
        pairs.filter_map(move |line| Some([line[0]?, line[other]?]))
    }

    /// Rows of one run where another has none.
    pub fn only_in(&self, run: usize, other: usize) -> impl Iterator<Item = usize> {
        let lines = self.lines.iter().filter(move |line| line[other].is_none());
        lines.filter_map(move |line| line[run])
    }
}
