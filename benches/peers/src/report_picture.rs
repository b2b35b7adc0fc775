//! The picture of a report: a panel for each question, with logarithmic axes and a line for each library.

use crate::report_figures::{Figures, LIBRARIES, Library, OURS, Row};
use std::{collections::BTreeSet, fmt::Write as _};

/// In pixels: two panels side by side, the plot within a panel, and what is above and below the panels.
const PANEL: [f64; 2] = [492.0, 196.0];
const PLOT: [f64; 4] = [66.0, 28.0, 290.0, 136.0];
const HEAD: f64 = 92.0;
const FOOT: f64 = 34.0;

/// The least distance of labels, one below the other.
const LINE: f64 = 14.0;

/// Nanoseconds, objects, and thousands and millions of them.
const TIMES: [&str; 3] = [" ns", " µs", " ms"];
const SIZES: [&str; 3] = ["", "k", "M"];

/// The styles of texts.
const TITLE: &str = r#"font-size="19" font-weight="bold""#;
const HEADING: &str = r#"font-weight="600""#;
const GREY: &str = r##"fill="#6b6b6b""##;

/// The whole picture, as SVG. Its background is white also where the page is dark.
pub fn picture(figures: &Figures) -> String {
    let mut panels: Vec<Vec<&Row>> = Vec::new();
    for row in &figures.rows {
        match panels.iter_mut().find(|panel| panel[0].question == row.question) {
            Some(panel) => panel.push(row),
            None => panels.push(vec![row]),
        }
    }
    let [width, height] = [2.0 * PANEL[0] + 16.0, HEAD + FOOT + panels.len().div_ceil(2) as f64 * PANEL[1]];
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="system-ui, sans-serif" font-size="12.5" fill="#333">
<rect width="{width}" height="{height}" rx="12" fill="#fff"/>
"##
    );
    text(&mut svg, [20.0, 32.0], TITLE, "Cullide beside other libraries");
    let note = "Lower is better; both axes are logarithmic. At the ends of the lines: × Cullide’s time.";
    text(&mut svg, [20.0, 53.0], "", note);
    let mut x = 20.0;
    for Library { name, color, .. } in &LIBRARIES {
        let Some(row) = figures.rows.iter().find(|row| row.library == *name) else { continue };
        let label = format!("{name} {}", row.version);
        let _ = writeln!(svg, r#"<path d="M{x} 74h22" stroke="{color}" stroke-width="{}"/>"#, stroke(name));
        text(&mut svg, [x + 28.0, 78.5], "", &label);
        x += 52.0 + 6.8 * label.len() as f64;
    }
    for (i, rows) in panels.iter().enumerate() {
        panel(&mut svg, [(i % 2) as f64 * PANEL[0], HEAD + (i / 2) as f64 * PANEL[1]], rows);
    }
    text(&mut svg, [20.0, height - 16.0], GREY, &figures.caption);
    svg + "</svg>\n"
}

/// A panel: the points of a question.
fn panel(svg: &mut String, [x, y]: [f64; 2], rows: &[&Row]) {
    let [left, top, width, height] = [x + PLOT[0], y + PLOT[1], PLOT[2], PLOT[3]];
    let [right, bottom] = [left + width, top + height];
    let xs = Axis::over(rows.iter().map(|row| row.size as f64), 1.0, [left, right]);
    let ys = Axis::over(rows.iter().map(|row| row.nanoseconds), 1.15, [bottom, top]);
    text(svg, [x + 20.0, top - 12.0], HEADING, &rows[0].question);
    // The grid and its labels.
    for tick in ys.ticks() {
        let y = ys.at(tick);
        let _ = writeln!(svg, r##"<path d="M{left} {y:.1}h{width}" stroke="#e4e4e4"/>"##);
        text(svg, [left - 7.0, y + 4.0], &format!(r#"{GREY} text-anchor="end""#), &scaled(tick, TIMES));
    }
    let sizes: BTreeSet<usize> = rows.iter().map(|row| row.size).collect();
    for size in sizes {
        let x = xs.at(size as f64);
        let _ = writeln!(svg, r##"<path d="M{x:.1} {top}v{height}" stroke="#f0f0f0"/>"##);
        text(svg, [x, bottom + 17.0], &format!(r#"{GREY} text-anchor="middle""#), &scaled(size as f64, SIZES));
    }
    text(svg, [right + 24.0, bottom + 17.0], GREY, &rows[0].unit);
    // The lines, ours on top, and what is written at their ends.
    let mut labels: Vec<(f64, String, &Library)> = Vec::new();
    for library @ Library { name, color, .. } in LIBRARIES.iter().rev() {
        let mut own: Vec<&Row> = rows.iter().copied().filter(|row| row.library == *name).collect();
        own.sort_by_key(|row| row.size);
        let Some(last) = own.last() else { continue };
        let points: Vec<_> = own.iter().map(|row| [xs.at(row.size as f64), ys.at(row.nanoseconds)]).collect();
        let path: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let (path, stroke) = (path.join(" "), stroke(name));
        let _ = writeln!(svg, r#"<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{stroke}"/>"#);
        for [x, y] in points {
            let _ = writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{}" fill="{color}"/>"#, 1.5 + 0.6 * stroke);
        }
        let value = match rows.iter().find(|row| row.library == OURS && row.size == last.size) {
            Some(ours) if *name != OURS => format!("{}×", significant(last.nanoseconds / ours.nanoseconds)),
            _ => scaled(last.nanoseconds, TIMES),
        };
        labels.push((ys.at(last.nanoseconds), format!("{name} {value}"), library));
    }
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let places = apart(labels.iter().map(|label| label.0).collect(), [top, bottom]);
    for ((end, label, Library { name, color, .. }), y) in labels.into_iter().zip(places) {
        let weight = if *name == OURS { "bold" } else { "normal" };
        let _ = writeln!(svg, r#"<path d="M{} {end:.1}L{} {y:.1}" stroke="{color}"/>"#, right + 6.0, right + 17.0);
        text(svg, [right + 20.0, y + 4.0], &format!(r#"fill="{color}" font-weight="{weight}""#), &label);
    }
}

/// The width of a library's lines.
fn stroke(library: &str) -> f64 {
    if library == OURS { 4.0 } else { 2.0 }
}

/// A logarithmic axis, from one place to another.
struct Axis {
    values: [f64; 2],
    places: [f64; 2],
}

impl Axis {
    /// Over all values, with a factor to spare at both ends; at least a factor of two.
    fn over(values: impl Iterator<Item = f64> + Clone, spare: f64, places: [f64; 2]) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min) / spare;
        let high = values.fold(2.0 * low, f64::max) * spare;
        Self { values: [low, high], places }
    }

    fn at(&self, value: f64) -> f64 {
        let ([low, high], [from, to]) = (self.values, self.places);
        from + (to - from) * (value / low).ln() / (high / low).ln()
    }

    /// Round values, at least two: only powers of ten where there are enough of them.
    fn ticks(&self) -> Vec<f64> {
        let [low, high] = self.values;
        let steps: &[f64] = match high / low {
            ratio if ratio > 100.0 => &[1.0],
            ratio if ratio > 5.0 => &[1.0, 2.0, 5.0],
            _ => &[1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0],
        };
        let ticks = (-3..=12).flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)));
        ticks.filter(|tick| (low..=high).contains(tick)).collect()
    }
}

/// Moves labels, from top to bottom, down until they are apart, and up again where they leave the plot.
fn apart(mut places: Vec<f64>, [top, bottom]: [f64; 2]) -> Vec<f64> {
    let mut free = top;
    for place in &mut places {
        *place = place.max(free);
        free = *place + LINE;
    }
    let mut free = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(free);
        free = *place - LINE;
    }
    places
}

fn text(svg: &mut String, [x, y]: [f64; 2], style: &str, content: &str) {
    let content = content.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" {style}>{content}</text>"#);
}

/// Rounds to two significant digits.
fn significant(x: f64) -> f64 {
    format!("{x:.1e}").parse().expect("it was a number")
}

/// Two digits of a number, with the unit for its thousands.
fn scaled(x: f64, units: [&str; 3]) -> String {
    match significant(x) {
        x if x < 1e3 => format!("{x}{}", units[0]),
        x if x < 1e6 => format!("{}{}", significant(x / 1e3), units[1]),
        x => format!("{}{}", significant(x / 1e6), units[2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_has_a_line_in_every_panel_of_its_own() {
        let text = "# A CPU <1>\nquestion,size,unit,library,variant,version,nanoseconds\n\
            A ray,100,boxes,Cullide,ours,1.0,20\nA ray,1000,boxes,Cullide,ours,1.0,30\n\
            A ray,100,boxes,bvh,bvh,2.0,50\nA ray,1000,boxes,bvh,bvh,2.0,120\n\
            A step,7,crates,Cullide,ours,1.0,1e6\n";
        let svg = picture(&text.parse().unwrap());
        let count = |part: &str| svg.matches(part).count();
        assert_eq!(["<polyline", "<circle", ">A ray<", ">A step<"].map(count), [3, 5, 1, 1]);
        assert_eq!([">bvh 4×<", ">bvh 2.0<", ">Cullide 30 ns<", ">Cullide 1 ms<", "&lt;1>"].map(count), [1; 5]);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        // All points are within the first plot or the second one.
        for points in svg.split("<polyline points=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            for point in points.split(' ') {
                let (x, y) = point.split_once(',').unwrap();
                let [x, y] = [x, y].map(|number| number.parse::<f64>().unwrap());
                let x = x % PANEL[0] - PLOT[0];
                let y = y - HEAD - PLOT[1];
                assert!((0.0..=PLOT[2]).contains(&x) && (0.0..=PLOT[3]).contains(&y), "{point}");
            }
        }
    }

    #[test]
    fn an_axis_has_two_ticks_at_least() {
        for low in (0..60).map(|power| 1.1_f64.powi(power)) {
            for ratio in [2.3, 4.9, 5.1, 99.0, 101.0] {
                let ticks = Axis { values: [low, ratio * low], places: [0.0, 1.0] }.ticks();
                assert!((2..=8).contains(&ticks.len()), "{ratio} from {low}: {ticks:?}");
            }
        }
    }

    #[test]
    fn labels_stay_apart_and_beside_the_plot() {
        assert_eq!(apart(vec![10.0, 12.0, 60.0], [0.0, 100.0]), [10.0, 24.0, 60.0]);
        assert_eq!(apart(vec![80.0, 98.0, 99.0], [0.0, 100.0]), [72.0, 86.0, 100.0]);
    }

    #[test]
    fn numbers_have_two_digits_and_a_unit() {
        let times = [0.52, 14.3, 999.7, 1530.0, 2e7].map(|time| scaled(time, TIMES));
        assert_eq!(times, ["0.52 ns", "14 ns", "1 µs", "1.5 µs", "20 ms"]);
        let sizes = [968.0, 9800.0, 99_458.0, 999_698.0].map(|size| scaled(size, SIZES));
        assert_eq!(sizes, ["970", "9.8k", "99k", "1M"]);
    }
}
