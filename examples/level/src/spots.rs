//! Where walkers start: at the map's own spots, then around them.

use cullide_world::glam::{Vec2, Vec3};

use crate::map::Map;
use crate::space::Swept;
use crate::steering::Random;
use crate::walk::HALF_EXTENTS;

/// An entity's origin is 24 units above the floor, a walker's centre 28.
const ORIGIN_TO_CENTER: Vec3 = Vec3::new(0.0, 0.0, 4.0);

/// How far from its spot a walker starts if the spot is taken, in units.
const SCATTER: std::ops::Range<f32> = 8.0..160.0;

/// The room that a walker needs above the highest floor, in units.
const HEADROOM: f32 = 4.0 * HALF_EXTENTS.z;

/// The number of points tried in a map without a usable spot.
const RANDOM_TRIES: usize = 20_000;

/// Returns the centres of `count` walkers, none of them inside a solid: `free` returns where a walker stands that is
/// put at a point, `None` in a solid, and `sweep` where a motion of one ends. Returns fewer, down to none, only if the
/// map has no spot and no free point above a floor was found between `low` and `high` or slightly above.
pub fn starts(
    map: &Map,
    count: usize,
    (low, high): (Vec3, Vec3),
    free: impl Fn(Vec3) -> Option<Vec3>,
    sweep: impl Fn(Vec3, Vec3) -> Swept,
) -> Vec<Vec3> {
    let mut random = Random::new(0xc0ffee);
    let mut spots = Vec::new();
    // Players start where it is safe; monsters may wait in closets, and lights hang in walls.
    for classes in [&["info_player", "info_teleport_destination"][..], &["monster_"], &[""]] {
        let of_class = map.entities.iter().filter(|e| classes.iter().any(|class| e.classname.starts_with(class)));
        spots.extend(of_class.filter_map(|e| free(Vec3::from(e.vector("origin")?) + ORIGIN_TO_CENTER)));
        if !spots.is_empty() {
            break;
        }
    }
    // Between floor and roof, otherwise on top of everything.
    for high in [high, high + Vec3::Z * HEADROOM] {
        let tries = std::iter::repeat_with(|| {
            Vec3::from_array([0, 1, 2].map(|axis| low[axis] + (high - low)[axis] * random.between(0.0..1.0)))
        });
        let over_floor = |point: &Vec3| sweep(*point, Vec3::NEG_Z * (point.z - low.z)).normal.is_some();
        if spots.is_empty() {
            spots = tries.take(RANDOM_TRIES).filter_map(&free).filter(over_floor).take(count).collect();
        }
    }
    if spots.is_empty() {
        return spots;
    }
    let start = |number: usize| {
        let spot = spots[number % spots.len()];
        if number < spots.len() {
            return spot;
        }
        // A sweep from the spot cannot leave its room.
        let away = Vec2::from_angle(random.between(0.0..std::f32::consts::TAU)) * random.between(SCATTER);
        sweep(spot, away.extend(0.0)).center
    };
    (0..count).map(start).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(spots: &str) -> Map {
        let brush = "( 0 0 0 ) ( 2 0 0 ) ( 0 3 0 ) stone 0 0 0 1 1\n".repeat(4);
        Map::parse("some.map", format!("{{\n{{\n{brush}}}\n}}\n{spots}").as_bytes()).unwrap()
    }

    #[test]
    fn players_start_at_their_spots_and_then_about_them_but_not_in_walls() {
        let map = map("{ \"classname\" \"info_player_start\" \"origin\" \"10 20 24\" }
             { \"classname\" \"info_player_deathmatch\" \"origin\" \"900 20 24\" }
             { \"classname\" \"monster_dog\" \"origin\" \"500 20 24\" }");
        let wall = |center: Vec3, motion: Vec3| {
            let end = center + motion;
            Swept { center: end.with_x(end.x.min(40.0)), normal: (end.x > 40.0).then_some(Vec3::NEG_X) }
        };
        let free = |center: Vec3| Some(center).filter(|center| center.x <= 40.0);
        let starts = starts(&map, 50, (Vec3::ZERO, Vec3::ONE), free, wall);
        assert_eq!(starts[0], Vec3::new(10.0, 20.0, 28.0));
        assert_eq!(starts.len(), 50);
        assert!(starts.iter().all(|start| start.x <= 40.0 && start.z == 28.0));
        assert!(starts[1..].iter().all(|start| *start != starts[0]));
    }

    #[test]
    fn a_map_without_spots_is_tried_at_random_over_floors() {
        let floor = |center: Vec3, motion: Vec3| {
            let end = center + motion;
            Swept { center: end.with_z(end.z.max(1.0)), normal: (end.z < 1.0).then_some(Vec3::Z) }
        };
        let bounds = (Vec3::ZERO, Vec3::new(200.0, 300.0, 500.0));
        assert_eq!(starts(&map(""), 30, bounds, Some, floor).len(), 30);
        assert_eq!(starts(&map(""), 30, bounds, |_| None, floor).len(), 0);
    }
}
