//! The table: times, then the same as ratios.

use crate::agree::Verdict;
use std::fmt;

/// One competitor.
pub struct Row {
    name: String,
    /// Times by column; `None` for what it does not offer.
    pub cells: Vec<Option<f64>>,
    /// What the build holds, by box, without the boxes that it was made from.
    pub bytes: Option<f64>,
    pub verdict: Verdict,
}

impl Row {
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), cells: Vec::new(), bytes: None, verdict: Verdict::default() }
    }
}

/// A scene's results. The first row is ours, and the first `ours` rows are no peers.
pub struct Table {
    pub title: String,
    pub titles: Vec<&'static str>,
    pub rows: Vec<Row>,
    pub ours: usize,
}

const NAME: usize = 22;
const CELL: usize = 11;

impl Table {
    /// The peers' best by column.
    fn best(&self, column: usize) -> Option<(&Row, f64)> {
        let peers = self.rows.iter().skip(self.ours).filter_map(|row| Some((row, row.cells[column]?)));
        peers.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// A block of one line a row: each time divided by its column's unit.
    fn block(&self, f: &mut fmt::Formatter<'_>, head: &str, unit: impl Fn(usize) -> Option<f64>) -> fmt::Result {
        write!(f, "{head:NAME$}")?;
        self.titles.iter().try_for_each(|title| write!(f, "{title:>CELL$}"))?;
        for row in &self.rows {
            write!(f, "\n{:NAME$}", row.name)?;
            for (column, cell) in row.cells.iter().enumerate() {
                let ratio = cell.and_then(|cell| Some(cell / unit(column)?));
                write!(f, "{:>CELL$}", number(ratio))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.title)?;
        self.block(f, "time", |_| Some(1.0))?;
        f.write_str("\n\n")?;
        self.block(f, "time / ours", |column| self.rows.first()?.cells[column])?;
        f.write_str("\n\n")?;
        self.block(f, "time / best peer", |column| Some(self.best(column)?.1))?;
        writeln!(f, "\n\n{:NAME$}{:>CELL$}{:>CELL$}{:>CELL$}", "held, agreement", "bytes/box", "ties", "wrong")?;
        for Row { name, bytes, verdict, .. } in &self.rows {
            writeln!(f, "{name:NAME$}{:>CELL$}{:>CELL$}{:>CELL$}", number(*bytes), verdict.ties, verdict.wrong)?;
        }
        Ok(())
    }
}

/// Three digits or more; a dash for nothing.
fn number(x: Option<f64>) -> String {
    match x {
        None => "-".into(),
        Some(x) if x < 9.995 => format!("{x:.2}"),
        Some(x) if x < 99.95 => format!("{x:.1}"),
        Some(x) => format!("{x:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_peer_is_none_of_ours() {
        let row = |name, time| Row { cells: vec![time], ..Row::new(name) };
        let rows = vec![row("ours", Some(2.0)), row("a", Some(8.0)), row("b", Some(5.0)), row("c", None)];
        let table = Table { title: "scene".into(), titles: vec!["long ns"], rows, ours: 1 };
        assert_eq!(table.best(0).map(|(row, time)| (row.name.as_str(), time)), Some(("b", 5.0)));
        let text = table.to_string();
        let ratios: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("time / best")).skip(1).collect();
        assert!(ratios[0].ends_with("0.40") && ratios[2].ends_with("1.00") && ratios[3].ends_with('-'), "{text}");
    }

    #[test]
    fn numbers_keep_three_digits() {
        assert_eq!(
            [0.123, 9.99, 12.34, 99.96, 84_000.4].map(|x| number(Some(x))),
            ["0.12", "9.99", "12.3", "100", "84000"]
        );
    }
}
