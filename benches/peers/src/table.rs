//! The table: times, then the same times as ratios.

use std::fmt;

/// One competitor.
pub struct Row {
    pub name: String,
    /// Times by column; `None` for what it does not offer.
    pub cells: Vec<Option<f64>>,
    /// Other results, one for each remark of the table.
    pub remarks: Vec<String>,
}

/// A scene's results. The first `ours` rows are not peers; if `ours` is 0, nothing is compared with the first row.
pub struct Table {
    pub title: String,
    pub titles: Vec<&'static str>,
    /// The heading of the last block, and its columns.
    pub remarks: (&'static str, Vec<&'static str>),
    pub rows: Vec<Row>,
    pub ours: usize,
}

const NAME: usize = 22;
const CELL: usize = 11;

impl Table {
    /// The best time of the peers in a column.
    fn best(&self, column: usize) -> Option<(&Row, f64)> {
        let peers = self.rows.iter().skip(self.ours).filter_map(|row| Some((row, row.cells[column]?)));
        peers.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Writes a block with one line per row: each time divided by its column's unit.
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
        if self.ours > 0 {
            f.write_str("\n\n")?;
            self.block(f, "time / ours", |column| self.rows.first()?.cells[column])?;
        }
        f.write_str("\n\n")?;
        self.block(f, "time / best peer", |column| Some(self.best(column)?.1))?;
        let (head, titles) = &self.remarks;
        write!(f, "\n\n{head:NAME$}")?;
        titles.iter().try_for_each(|title| write!(f, "{title:>CELL$}"))?;
        for Row { name, remarks, .. } in &self.rows {
            write!(f, "\n{name:NAME$}")?;
            remarks.iter().try_for_each(|remark| write!(f, "{remark:>CELL$}"))?;
        }
        f.write_str("\n")
    }
}

/// At least three digits; a dash for `None`.
pub fn number(x: Option<f64>) -> String {
    match x {
        None => "-".into(),
        Some(x) if x < 0.9995 => format!("{x:.3}"),
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
        let row = |name, time| Row { name: String::from(name), cells: vec![time], remarks: Vec::new() };
        let rows = vec![row("ours", Some(2.0)), row("a", Some(8.0)), row("b", Some(5.0)), row("c", None)];
        let remarks = ("agreement", vec!["wrong"]);
        let table = Table { title: "scene".into(), titles: vec!["long ns"], remarks, rows, ours: 1 };
        assert_eq!(table.best(0).map(|(row, time)| (row.name.as_str(), time)), Some(("b", 5.0)));
        let text = table.to_string();
        let ratios: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("time / best")).skip(1).collect();
        assert!(ratios[0].ends_with("0.400") && ratios[2].ends_with("1.00") && ratios[3].ends_with('-'), "{text}");
        assert!(text.contains("time / ours") && !Table { ours: 0, ..table }.to_string().contains("time / ours"));
    }

    #[test]
    fn numbers_keep_three_digits() {
        assert_eq!(
            [0.1234, 0.9996, 9.99, 12.34, 99.96, 84_000.4].map(|x| number(Some(x))),
            ["0.123", "1.00", "9.99", "12.3", "100", "84000"]
        );
    }
}
