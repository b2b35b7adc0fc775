//! Levels, a player's run and captured boxes by other authors: what is known about them, reproduced with trees and
//! worlds.

use cullide_bvh::Bvh;
use cullide_narrowphase::{
    Aabb, BoxSweep, Brush, Obb, Ray, Segment,
    glam::{DVec3, Vec3},
};
use cullide_scenes::{bounds, bullet_boxes, data_dir, map_brushes};
use cullide_world::{BoxBody, BoxStepConfig, BoxStepper, Filter, Object, Response, World};
use std::ops::ControlFlow;

const MAPS: [&str; 3] = ["lq_e0m1", "lqdm1", "lq_e4m4"];

/// The brushes of a map, three points per face.
fn map(name: &str) -> Vec<Vec<[DVec3; 3]>> {
    let path = data_dir().join("librequake").join(name).with_extension("map");
    let brushes = map_brushes(&path).expect("the map is readable");
    brushes.iter().map(|faces| faces.iter().map(|points| points.map(DVec3::from)).collect()).collect()
}

fn brush(faces: &[[DVec3; 3]]) -> Brush {
    Brush::from_point_triples(faces).expect("every brush of these maps is a solid")
}

fn world(brushes: impl IntoIterator<Item = Brush>) -> World {
    let mut world = World::new();
    for (number, brush) in brushes.into_iter().enumerate() {
        world.insert(Object::fixed(brush).user(number as u64));
    }
    world.optimize();
    world
}

/// The numbers of pairs of boxes that share a point, and that share an inner point.
fn pairs(boxes: &[Aabb]) -> (usize, usize) {
    let (mut closed, mut open) = (0, 0);
    Bvh::build(boxes).for_each_pair(|a, b| {
        let (a, b) = (&boxes[a.index()], &boxes[b.index()]);
        closed += 1;
        open += usize::from(a.min().cmplt(b.max()).all() && b.min().cmplt(a.max()).all());
        ControlFlow::Continue(())
    });
    (closed, open)
}

fn aabb([min, max]: [[f32; 3]; 2]) -> Aabb {
    Aabb::new(min.into(), max.into()).expect("captured boxes are boxes")
}

#[test]
#[ignore = "reads the shared data"]
fn boxes_of_brushes_pair_up_as_known() {
    let expected = [(3350, 298), (4097, 1163), (18_923, 6343)];
    for (name, expected) in MAPS.into_iter().zip(expected) {
        let rounded = |vertex: &DVec3| ((*vertex * 1e4).round() / 1e4).as_vec3();
        let around = |faces: &Vec<_>| Aabb::from_points(brush(faces).vertices().iter().map(rounded));
        let boxes: Vec<Aabb> = map(name).iter().map(|faces| around(faces).expect("a brush has vertices")).collect();
        assert_eq!(pairs(&boxes), expected, "{name}");
    }
}

#[test]
#[ignore = "reads the shared data"]
fn captured_boxes_pair_up_as_known() {
    let expected = [(650, 650), (14_969, 14_959), (7155, 7148)];
    for (name, expected) in ["bounds01", "bounds02", "bounds03"].into_iter().zip(expected) {
        let boxes: Vec<Aabb> = bounds(name).expect("readable").into_iter().map(aabb).collect();
        assert_eq!(pairs(&boxes), expected, "{name}");
    }
    let boxes: Vec<Aabb> = bullet_boxes().expect("readable").into_iter().map(aabb).collect();
    for (margin, expected) in [(0.0, 12), (10.0, 101), (20.0, 2010)] {
        let grown: Vec<Aabb> = boxes.iter().map(|aabb| aabb.expanded(margin)).collect();
        assert_eq!(pairs(&grown).0, expected, "grown by {margin}");
    }
}

#[test]
#[ignore = "reads the shared data"]
fn a_players_moves_stay_outside_of_the_level_until_lowered_into_it() {
    let text = std::fs::read_to_string(data_dir().join("medusa/solids.json")).expect("readable");
    let level: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let solids: Vec<Vec<[f64; 4]>> = serde_json::from_value(level["solids"].clone()).expect("planes");
    assert_eq!(solids.len(), 126);
    let half_space = |&[x, y, z, distance]: &[f64; 4]| (DVec3::new(x, y, z), distance);
    let solid = |planes: &Vec<_>| Brush::from_half_spaces(&planes.iter().map(half_space).collect::<Vec<_>>());
    let world = world(solids.iter().map(|planes| solid(planes).expect("a solid")));

    let rows = std::fs::read_to_string(data_dir().join("medusa/speedrun.csv")).expect("readable");
    let position = |row: &str| {
        let mut cells = row.split(',').skip(1).map(|cell| cell.parse::<f32>().expect("a number"));
        Vec3::from([(); 3].map(|()| cells.next().expect("x, y and z")))
    };
    let positions: Vec<Vec3> = rows.lines().skip(1).map(position).collect();

    // The same moves as steps of a body that stops where it touches.
    let (mut stepped, mut boxes) = (world.clone(), BoxStepper::new());
    let point = |at: Vec3| Obb::from_half_edges(at, [Vec3::ZERO; 3]).expect("a point");
    let runner = stepped.insert(Object::moving(point(positions[0])));
    let config = BoxStepConfig { gravity: Vec3::ZERO, max_recovery: 0.0, ..BoxStepConfig::default() };

    let (mut moves, mut through) = (0, [0, 0]);
    for pair in positions.windows(2) {
        let motion = pair[1] - pair[0];
        if motion == Vec3::ZERO || motion.length() > 100.0 {
            continue;
        }
        moves += 1;
        for (count, lowered) in through.iter_mut().zip([0.0, 0.25]) {
            let start = pair[0] - Vec3::Z * lowered;
            let swept = world.sweep(&BoxSweep::new(point(start), motion).expect("a short way"), &Filter::ALL);
            let is_stopped = swept.hit.is_some() || swept.overlap.is_some();
            *count += usize::from(is_stopped);
            // A step ends where the sweep does, and touches what stops it.
            stepped.object_mut(runner).map(|mut object| object.set_shape(point(start))).expect("it is there");
            let body = BoxBody { velocity: motion, response: Response::Stop, ..BoxBody::default() };
            boxes.insert(&mut stepped, runner, body).unwrap();
            let events = boxes.step(&mut stepped, 1.0, &config).unwrap();
            let touched: Vec<_> = events.begun.iter().chain(events.persisting).map(|contact| contact.target).collect();
            assert_eq!(touched, Vec::from_iter(swept.hit.map(|hit| hit.target)), "{start} by {motion}");
            let cullide_world::Shape::Obb(end) = &stepped.object(runner).expect("it is there").shape else {
                panic!("a box")
            };
            assert_eq!(end.center(), swept.position, "{start} by {motion}");
            // What stops a point is on its way.
            let segment = Segment::new(start, motion).expect("a short way");
            let met = world.cast_segment(&segment, &Filter::ALL);
            assert!(met.is_some() || !is_stopped, "{start} by {motion}");
            assert_eq!(world.any_segment_hit(&segment, &Filter::ALL), met.is_some(), "{start} by {motion}");
            // Both report that a point starts in a solid.
            assert!(swept.overlap.is_none() || met.is_some_and(|hit| hit.inside), "{start} by {motion}");
        }
    }
    assert_eq!((moves, through), (2559, [0, 936]));
}

/// Where a ray enters and leaves the solid of a brush, by plain clipping in `f64`.
fn clip(faces: &[[DVec3; 3]], origin: DVec3, direction: DVec3) -> (f64, f64) {
    let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
    for &[a, b, c] in faces {
        let normal = (c - a).cross(b - a);
        let (height, slope) = (normal.dot(origin - a), normal.dot(direction));
        if slope < 0.0 {
            enter = enter.max(-height / slope);
        } else if slope > 0.0 {
            exit = exit.min(-height / slope);
        } else if height > 0.0 {
            return (f64::INFINITY, f64::NEG_INFINITY);
        }
    }
    (enter, exit)
}

#[test]
#[ignore = "reads the shared data"]
fn rays_through_the_middle_of_brushes_enter_and_leave_them_as_clipping_says() {
    // Farther than this from a tie, `f64` clipping of these coordinates is not in doubt.
    const CLEAR: f64 = 1e-4;
    for name in MAPS {
        let map = map(name);
        let brushes: Vec<Brush> = map.iter().map(|faces| brush(faces)).collect();
        let middles: Vec<DVec3> =
            brushes.iter().map(|b| b.vertices().iter().sum::<DVec3>() / b.vertices().len() as f64).collect();
        let world = world(brushes);
        let mut hits = Vec::new();
        for (number, middle) in middles.iter().enumerate() {
            let way = Vec3::new(0.6, -0.37, 0.71) * if number % 2 == 0 { 1.0 } else { -1.0 };
            let ray = Ray::new(middle.as_vec3() - 300.0 * way, way).expect("a direction");
            let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
            hits.clear();
            world.cast_ray_all(&ray, f32::INFINITY, &Filter::ALL, &mut hits);
            assert!(hits.is_sorted_by(|a, b| a.distance <= b.distance));
            assert_eq!(world.cast_ray(&ray, f32::INFINITY, &Filter::ALL), hits.first().copied());

            let mut met = vec![None; map.len()];
            for hit in &hits {
                let cullide_world::Target::Object(key) = hit.target else { panic!("a level has no planes") };
                met[world.object(key).expect("it was just met").user as usize] = Some(hit);
            }
            for (other, (faces, met)) in map.iter().zip(met).enumerate() {
                let (enter, exit) = clip(faces, origin, direction);
                let Some(hit) = met else {
                    assert!(enter > exit - CLEAR || exit < CLEAR, "{name}: ray {number} misses brush {other}");
                    continue;
                };
                assert!(enter < exit + CLEAR && exit > -CLEAR, "{name}: ray {number} meets brush {other}");
                let close = |answer: f32, truth: f64| (f64::from(answer) - truth).abs() <= CLEAR.max(1e-6 * truth);
                assert!(close(hit.distance, enter.max(0.0)) && close(hit.exit, exit), "{name}: {number}, {other}");
                if hit.inside {
                    assert!(enter < CLEAR && hit.normal == -ray.direction());
                    continue;
                }
                let entry = origin + direction * enter;
                let is_entered = |[a, b, c]: &[DVec3; 3]| {
                    let normal = (c - a).cross(b - a).normalize();
                    normal.distance(hit.normal.as_dvec3()) < 1e-6 && normal.dot(entry - a).abs() < CLEAR
                };
                assert!(faces.iter().any(is_entered), "{name}: ray {number} enters brush {other} by {}", hit.normal);
            }
        }
    }
}
