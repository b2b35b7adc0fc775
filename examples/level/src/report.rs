//! The counts and times of a run, as one JSON object or a table.

use std::fmt;
use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::args::Output;

/// The result of a run. The fields are the keys of the JSON object.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub map: String,
    /// Brushes and faces of all entities, solid or not.
    pub brushes: usize,
    pub faces: usize,
    pub walkers: usize,
    /// Steps, summed over the walkers.
    pub steps: u64,
    /// Requested from the world; a walk counts as one, however many sweeps it takes.
    pub sweeps: u64,
    /// Floors included.
    pub contacts: u64,
    /// In units; 0 if no walker ever stood inside a solid.
    pub deepest_penetration: f64,
    pub stuck_walkers: usize,
    pub rays: u64,
    pub rays_hit: u64,
    /// Solid brushes that the camera saw, on average over its path.
    pub visible_mean: f64,
    pub build_ms: f64,
    /// The time of one step of all walkers.
    pub step_us: f64,
    pub ray_ns: f64,
    /// The time of one culling query.
    pub cull_us: f64,
}

impl Report {
    /// One line of JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("a struct of numbers and strings is JSON")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { map, brushes, faces, walkers, steps, sweeps, contacts, rays, rays_hit, .. } = self;
        let hit_share = 100.0 * *rays_hit as f64 / (*rays).max(1) as f64;
        writeln!(f, "level     {map}: {brushes} brushes, {faces} faces, built in {:.1} ms", self.build_ms)?;
        writeln!(f, "walking   {walkers} walkers, {steps} steps, {:.0} us for a step of all", self.step_us)?;
        writeln!(f, "          {sweeps} sweeps, {contacts} contacts")?;
        writeln!(f, "          deepest penetration {}, stuck {}", self.deepest_penetration, self.stuck_walkers)?;
        writeln!(f, "looking   {rays} rays of {:.0} ns, {hit_share:.1} % hit", self.ray_ns)?;
        write!(f, "culling   {:.1} brushes seen on average, {:.2} us a camera", self.visible_mean, self.cull_us)
    }
}

/// A progress bar of `length` on stderr, but only on a terminal and with the table; otherwise one that draws nothing.
pub fn progress(output: Output, what: &'static str, length: u64) -> ProgressBar {
    if output == Output::Json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg:10} {bar:40} {pos}/{len} {eta}");
    ProgressBar::new(length).with_style(style.expect("the template is a constant")).with_message(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_object_has_exactly_the_agreed_keys_in_order() {
        let report = Report {
            map: "a \"b\".map".into(),
            brushes: 1,
            faces: 2,
            walkers: 3,
            steps: 4,
            sweeps: 5,
            contacts: 6,
            deepest_penetration: 0.0,
            stuck_walkers: 0,
            rays: 7,
            rays_hit: 8,
            visible_mean: 9.5,
            build_ms: 1.0,
            step_us: 2.0,
            ray_ns: 3.0,
            cull_us: 4.0,
        };
        let expected = r#"{"map":"a \"b\".map","brushes":1,"faces":2,"walkers":3,"steps":4,"sweeps":5,"contacts":6,"deepest_penetration":0.0,"stuck_walkers":0,"rays":7,"rays_hit":8,"visible_mean":9.5,"build_ms":1.0,"step_us":2.0,"ray_ns":3.0,"cull_us":4.0}"#;
        assert_eq!(report.json(), expected);
        assert_eq!(report.to_string().lines().count(), 6);
    }
}
