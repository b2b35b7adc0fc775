use super::*;
use crate::{Instructions, Probe, Visit};
use cullide_narrowphase::{
    Aabb, Ray, Segment,
    glam::{DVec3, Vec3},
};

/// A fixed sequence of numbers.
struct Rng(u64);

impl Rng {
    fn new() -> Self {
        Self(7)
    }

    fn below(&mut self, count: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(count)) as u32
    }

    fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// An integer from `-most` to `most`.
    fn whole(&mut self, most: u32) -> f32 {
        self.below(2 * most + 1) as f32 - most as f32
    }

    fn share(&mut self) -> f32 {
        self.below(1 << 24) as f32 / (1 << 24) as f32
    }

    fn bool(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// A field and the data that it was made from.
struct Case {
    field: HeightField,
    heights: Vec<f32>,
    cells: [u32; 2],
    origin: Vec2,
    spacing: Vec2,
}

impl Case {
    /// Of any size, including narrow ones; near the origin, or so far away or so fine that places are rounded.
    fn random(rng: &mut Rng, round: u32) -> Self {
        let samples = match round % 8 {
            0 => [2, rng.between(2, 300)],
            1 => [rng.between(2, 300), 3],
            2 => [2, 2],
            _ => [rng.between(2, 40), rng.between(2, 70)],
        };
        let spacing = [Vec2::ONE, Vec2::new(0.7, 1.3), Vec2::splat(1e-3), Vec2::new(1e4, 3.0)][round as usize / 8 % 4];
        let middle = spacing * Vec2::new(samples[0] as f32, samples[1] as f32) * -0.5;
        let origin = if round.is_multiple_of(5) { middle + Vec2::new(3e5, -1e5) } else { middle.round() };
        let is_grid = !round.is_multiple_of(3);
        let rise = spacing.min_element();
        let mut height = || if is_grid { rng.whole(2) * rise } else { (2.0 * rng.share() - 1.0) * rise };
        let heights: Vec<f32> = (0..samples[0] * samples[1]).map(|_| height()).collect();
        let field = HeightField::new(samples, origin, spacing, |c, r| heights[(r * samples[0] + c) as usize]);
        Self { field, heights, cells: samples.map(|count| count - 1), origin, spacing }
    }

    fn range(&self, column: u32, row: u32) -> [f32; 2] {
        let across = self.cells[0] + 1;
        let all =
            [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[c, r]| self.heights[((row + r) * across + column + c) as usize]);
        [all.into_iter().fold(f32::INFINITY, f32::min), all.into_iter().fold(f32::NEG_INFINITY, f32::max)]
    }

    /// The box of a cell, with rounded vertices.
    fn bounds(&self, column: u32, row: u32) -> [DVec3; 2] {
        let place = |axis: usize, number: u32| {
            let place = f64::from(self.origin[axis]) + f64::from(number) * f64::from(self.spacing[axis]);
            f64::from(place as f32)
        };
        let [low, high] = self.range(column, row).map(f64::from);
        let (next_column, next_row) = (place(0, column + 1), place(1, row + 1));
        [DVec3::new(place(0, column), low, place(1, row)), DVec3::new(next_column, high, next_row)]
    }

    /// A point near some place in the field; often on a border between cells.
    fn point(&self, rng: &mut Rng, far: f32) -> Vec3 {
        let mut along = |axis: usize| {
            let number = rng.share() * self.cells[axis] as f32;
            let number = if rng.bool() { number.round() } else { number };
            self.origin[axis] + (number + far * (2.0 * rng.share() - 1.0).powi(3)) * self.spacing[axis]
        };
        let (x, z) = (along(0), along(1));
        let height = if rng.bool() { rng.whole(3) } else { 8.0 * rng.share() - 4.0 };
        Vec3::new(x, height * self.spacing.min_element(), z)
    }
}

/// Something that moves: its initial place, its motion, and the parameter at which that ends.
struct MovingBox {
    box_: [Vec3; 2],
    motion: Vec3,
    max: f32,
    probe: Probe,
}

impl MovingBox {
    fn random(rng: &mut Rng, case: &Case, round: u32) -> Option<Self> {
        let from = case.point(rng, 3.0);
        let mut motion = case.point(rng, 0.5) - from;
        // Along the axes, and straight down or up.
        match round % 6 {
            0 => motion.x = 0.0,
            1 => motion.z = 0.0,
            2 => (motion.x, motion.z) = (0.0, 0.0),
            3 => motion.y = 0.0,
            _ => {}
        }
        match round % 3 {
            0 => {
                let ray = Ray::new(from, motion).ok()?;
                let max = if rng.bool() { f32::INFINITY } else { motion.length() };
                Some(Self { box_: [from; 2], motion: ray.direction(), max, probe: Probe::ray(&ray, max) })
            }
            1 => {
                let segment = Segment::new(from, motion).ok()?;
                Some(Self { box_: [from; 2], motion, max: 1.0, probe: Probe::segment(&segment) })
            }
            _ => {
                let half = case.spacing.min_element() * Vec3::new(rng.share(), rng.share(), rng.share()) * 3.0;
                let motion = if round.is_multiple_of(4) { Vec3::ZERO } else { motion };
                let around = Aabb::new(from - half, from + half).ok()?;
                let probe = Probe::swept(&around, motion);
                Some(Self { box_: [around.min(), around.max()], motion, max: 1.0, probe })
            }
        }
    }

    /// When a box is hit that is enlarged on each side by a fraction of all coordinates.
    fn entry(&self, [low, high]: [DVec3; 2], share: f64) -> Option<f64> {
        let [min, max] = self.box_.map(|p| p.as_dvec3());
        let (mut enter, mut exit) = (0.0f64, f64::from(self.max));
        for i in 0..3 {
            let margin = share * [low, high, min, max].iter().fold(0.0f64, |most, p| most.max(p[i].abs()));
            let (first, last) = (low[i] - max[i] - margin, high[i] - min[i] + margin);
            let motion = f64::from(self.motion[i]);
            if motion == 0.0 {
                if first > 0.0 || last < 0.0 {
                    return None;
                }
                continue;
            }
            let times = [first / motion, last / motion];
            (enter, exit) = (enter.max(times[0].min(times[1])), exit.min(times[0].max(times[1])));
        }
        (enter <= exit).then_some(enter)
    }
}

#[test]
fn a_walk_visits_every_cell_that_is_met_few_others_and_mostly_nearest_first() {
    let mut rng = Rng::new();
    let (mut met, mut shown, mut near, mut ordered, mut all) = (0, 0, 0, 0, 0);
    for round in 0..200 {
        let mut case = Case::random(&mut rng, round);
        for k in 0..40 {
            let Some(way) = MovingBox::random(&mut rng, &case, k) else { continue };
            let mut visited = vec![];
            for level in Instructions::EVERY.into_iter().filter_map(Instructions::level) {
                case.field.level = level;
                let mut again = vec![];
                case.field.walk(&way.probe, |column, row, heights| {
                    assert_eq!(heights, case.field.corners(column, row));
                    again.push((column, row));
                    Visit::Continue
                });
                assert!(visited.is_empty() || visited == again, "{level:?}");
                visited = again;
            }
            let mut last = 0.0;
            for &(column, row) in &visited {
                let entry = way.entry(case.bounds(column, row), 4e-6);
                near += usize::from(entry.is_some());
                let entry = entry.unwrap_or(last);
                ordered += usize::from(entry >= last);
                last = entry;
            }
            let before = visited.len();
            visited.sort_unstable();
            visited.dedup();
            assert_eq!(visited.len(), before, "a cell twice");
            for row in 0..case.cells[1] {
                for column in 0..case.cells[0] {
                    // Not by less than the error of the arithmetic here.
                    if way.entry(case.bounds(column, row), -1e-14).is_some() {
                        let is_visited = visited.binary_search(&(column, row)).is_ok();
                        assert!(is_visited, "{round} {k}: {column} {row} of {:?}", case.cells);
                        met += 1;
                    }
                }
            }
            shown += visited.len();
            all += (case.cells[0] * case.cells[1]) as usize;
        }
    }
    assert!(met > 50_000 && shown < all / 4, "{met} {shown} of {all}");
    assert!(near * 100 > shown * 99 && ordered * 100 > shown * 80, "{near} and {ordered} of {shown}");
}

#[test]
fn a_walk_goes_as_far_as_it_is_asked_to() {
    let mut rng = Rng::new();
    let (mut left_out, mut stopped) = (0, 0);
    for round in 0..300 {
        let case = Case::random(&mut rng, round);
        for k in 0..40 {
            let Some(way) = MovingBox::random(&mut rng, &case, k) else { continue };
            let mut every = vec![];
            case.field.walk(&way.probe, |column, row, _| {
                every.push((column, row));
                Visit::Continue
            });
            let Some(&(column, row)) = every.get(every.len() / 3) else { continue };
            let Some(limit) = way.entry(case.bounds(column, row), -1e-14) else { continue };
            let limit = (limit as f32).next_up();
            let mut some = vec![];
            case.field.walk(&way.probe, |column, row, _| {
                some.push((column, row));
                Visit::Within(limit)
            });
            let is_met_before = |&(column, row): &(u32, u32)| {
                way.entry(case.bounds(column, row), -1e-14).is_some_and(|entry| entry <= f64::from(limit))
            };
            let missing: Vec<_> = every.iter().filter(|cell| !some.contains(cell)).collect();
            assert!(!missing.iter().any(|cell| is_met_before(cell)), "{missing:?}");
            left_out += missing.len();
            let mut count = 0;
            case.field.walk(&way.probe, |_, _, _| {
                count += 1;
                if count == 2 { Visit::Stop } else { Visit::Continue }
            });
            assert_eq!(count, every.len().min(2));
            stopped += usize::from(every.len() > 2);
        }
    }
    assert!(left_out > 5000 && stopped > 1000, "{left_out} {stopped}");
}

#[test]
fn a_motion_that_is_out_of_range_visits_what_it_might_meet() {
    let field = HeightField::new([30, 30], Vec2::ZERO, Vec2::ONE, |_, _| 0.0);
    let around = Aabb::new(Vec3::new(3.25, 5.0, 7.25), Vec3::new(3.75, 6.0, 7.75)).unwrap();
    let cells = |motion: Vec3| {
        let mut cells = vec![];
        field.walk(&Probe::swept(&around, motion), |column, row, _| {
            cells.push((column, row));
            Visit::Continue
        });
        cells
    };
    assert_eq!(cells(Vec3::Y * -6.0), [(3, 7)]);
    assert_eq!(cells(Vec3::Y * -4.0), []);
    assert_eq!(cells(Vec3::Y * -1e30), [(3, 7)]);
    assert_eq!(cells(Vec3::new(1e30, -6.0, 0.0)).len(), 29);
    assert_eq!(cells(Vec3::new(1e30, -6.0, 1e30)).len(), 29 * 29);
    assert_eq!(cells(Vec3::new(1e-30, -6.0, 1e-42)), [(3, 7)]);
}

#[test]
fn an_edited_field_is_one_built_again_and_leaves_its_clones_alone() {
    let mut rng = Rng::new();
    for round in 0..200 {
        let Case { mut field, mut heights, cells, origin, spacing } = Case::random(&mut rng, round);
        let across = cells[0] + 1;
        let (before, were) = (field.clone(), heights.clone());
        for _ in 0..3 {
            let ends = cells.map(|count| {
                let first = rng.between(0, count);
                first..rng.between(first, count + 1)
            });
            let new = rng.share() * 9.0 - 4.0;
            field.edit(ends.clone(), |column, row| new + (column + row) as f32);
            for row in ends[1].clone() {
                ends[0]
                    .clone()
                    .for_each(|column| heights[(row * across + column) as usize] = new + (column + row) as f32);
            }
        }
        let built = |heights: &[f32]| {
            HeightField::new(cells.map(|count| count + 1), origin, spacing, |c, r| heights[(r * across + c) as usize])
        };
        for (one, other) in [(&field, built(&heights)), (&before, built(&were))] {
            for level in 0..=one.last_level() {
                let [columns, rows] = one.blocks(level);
                for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
                    assert_eq!(one.range_of(level, column, row), other.range_of(level, column, row));
                }
            }
            assert_eq!(
                one.range(),
                [f32::min, f32::max].map(|pick| {
                    let all = if std::ptr::eq(one, &field) { &heights } else { &were };
                    all.iter().copied().reduce(pick).unwrap()
                })
            );
        }
    }
}
