//! Cylinders and cones in a world: every question against the solid itself, by independent means.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Character, Compound, CompoundError, DrawOptions, Filter, Mover, Object,
    PlacedCompound, Response, Shape, ShapeSweep, Snapshot, SweptBody, Target, World, WorldPlane,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{
        Aabb, BoxSweep, Camera, Capsule, CapsuleSweep, Convex, ConvexCore, Cylinder, Frustum, Obb, Plane, Ray, Segment,
        Solid, Sphere, SphereSweep, TurningBoxSweep,
    },
};

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

fn cylinder(rng: &mut Rng, room: f32) -> Cylinder {
    let (center, radius) = (vector(rng, room), 0.1 + rng.f32());
    let length = [1.0, 0.1, 2.0][rng.usize(..3)];
    let half_axis = vector(rng, length) + Vec3::X * 0.02;
    Cylinder::from_half_axis(center, half_axis, [radius, [radius, 0.0, 0.5][rng.usize(..3)]]).unwrap()
}

/// A world of cylinders, half of them children of one compound, which is turned and mirrored; and what they are.
fn scene(rng: &mut Rng) -> (World, Vec<(Target, u32, Cylinder)>) {
    let mut world = World::with_tag(1);
    let mut all = vec![];
    for i in 0..20 {
        let own = cylinder(rng, 4.0);
        let key = world.insert(if i % 2 == 0 { Object::fixed(own) } else { Object::moving(own) });
        all.push((key.into(), 0, own));
    }
    let children: Vec<Shape> = (0..20).map(|_| cylinder(rng, 4.0).into()).collect();
    let turn = Quat::from_scaled_axis(vector(rng, 3.0));
    let placed = PlacedCompound::scaled(&Compound::new(children).unwrap(), turn, Vec3::X, Vec3::new(-0.9, 0.9, 0.9));
    let placed = placed.unwrap();
    let parts: Vec<Cylinder> = (0..20).map(|i| of(&placed.child(i).unwrap())).collect();
    let key = world.insert(Object::fixed(placed));
    all.extend((0..).zip(parts).map(|(part, own)| (key.into(), part, own)));
    (world, all)
}

fn of(shape: &Shape) -> Cylinder {
    let Shape::Cylinder(shape) = shape else { panic!("a cylinder") };
    *shape
}

fn core<'a>(shape: impl Into<Convex<'a>>) -> ConvexCore {
    shape.into().core()
}

#[test]
fn rays_and_points_meet_the_solids_that_they_would_meet_alone() {
    let mut rng = Rng::with_seed(SEED ^ 801);
    let (mut hits, mut inside) = (0, 0);
    for _ in 0..30 {
        let (world, all) = scene(&mut rng);
        for _ in 0..60 {
            let (from, to) = (vector(&mut rng, 7.0), vector(&mut rng, 3.0));
            let ray = Ray::new(from, to - from).unwrap();
            let each =
                all.iter().filter_map(|(target, part, own)| Some((ray.cast(own, f32::INFINITY)?, *target, *part)));
            let first = each.min_by(|a, b| (a.0.distance, a.1, a.2).partial_cmp(&(b.0.distance, b.1, b.2)).unwrap());
            let found = world.cast_ray(&ray, f32::INFINITY, &Filter::ALL);
            assert_eq!(
                found.map(|hit| (hit.distance, hit.target, hit.part)),
                first.map(|(hit, target, part)| (hit.distance, target, part))
            );
            hits += usize::from(found.is_some());
            let segment = Segment::between(from, to).unwrap();
            let is_crossed = all.iter().any(|(.., own)| segment.hits(own));
            assert_eq!(world.cast_segment(&segment, &Filter::ALL).is_some(), is_crossed);

            let mut near = vec![];
            world.overlap(&to, &Filter::ALL, &mut near);
            let mut expected: Vec<Target> =
                all.iter().filter(|(.., own)| own.contains_point(to)).map(|(target, ..)| *target).collect();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(near, expected);
            inside += usize::from(!near.is_empty());
            let mut nearest = vec![];
            world.nearest(to, f32::INFINITY, 1, &Filter::ALL, &mut nearest);
            let least = all.iter().map(|(.., own)| own.distance(to)).fold(f32::INFINITY, f32::min);
            assert!((nearest[0].distance - least).abs() < 1e-5, "{nearest:?} {least}");
            let own = all
                .iter()
                .find(|(target, part, _)| (*target, *part) == (nearest[0].target, nearest[0].part))
                .unwrap()
                .2;
            let signed = own.signed_distance(to);
            assert!((f64::from(nearest[0].separation) - signed).abs() < 1e-5, "{nearest:?} {signed}");
            // That is the way out, or away.
            let out = own.signed_distance(to + nearest[0].normal * (0.01 - signed.min(0.0) as f32));
            assert!((out - signed.max(0.0) - 0.01).abs() < 1e-3, "{out} {signed} {nearest:?}");
        }
    }
    assert!(hits > 1000 && inside > 200, "{hits} {inside}");
}

#[test]
fn overlaps_and_distances_are_those_of_the_cores() {
    let mut rng = Rng::with_seed(SEED ^ 802);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..20 {
        let (world, all) = scene(&mut rng);
        for case in 0..40 {
            let (at, half, turn) = (
                vector(&mut rng, 5.0),
                vector(&mut rng, 0.5).abs() + 0.05,
                Quat::from_scaled_axis(vector(&mut rng, 3.0)),
            );
            let obb = Obb::new(at, turn, half).unwrap();
            let aabb = Aabb::from_center_half_extents(at, half).unwrap();
            let capsule = Capsule::from_half_axis(at, turn * Vec3::Y, half.x).unwrap();
            let ball = Sphere::new(at, half.y).unwrap();
            let own = Cylinder::from_half_axis(at, turn * Vec3::Z * half.z, [half.x, half.y]).unwrap();
            let mut near = vec![];
            let (mover, shape): (ConvexCore, Shape) = match case % 5 {
                0 => (core(obb), {
                    world.overlap(&obb, &Filter::ALL, &mut near);
                    obb.into()
                }),
                1 => (core(aabb), {
                    world.overlap(&aabb, &Filter::ALL, &mut near);
                    aabb.into()
                }),
                2 => (core(capsule), {
                    world.overlap(&capsule, &Filter::ALL, &mut near);
                    capsule.into()
                }),
                3 => (core(ball), {
                    world.overlap(&ball, &Filter::ALL, &mut near);
                    ball.into()
                }),
                _ => (own.core(), {
                    world.overlap(&Shape::from(own), &Filter::ALL, &mut near);
                    own.into()
                }),
            };
            let mut by_shape = vec![];
            world.overlap(&shape, &Filter::ALL, &mut by_shape);
            assert_eq!(near, by_shape);
            let mut least = f64::INFINITY;
            for (target, _, other) in &all {
                let separation = mover.distance(&other.core()).separation;
                least = least.min(separation);
                // A compound touches if any of its parts does.
                if separation < -1e-5 {
                    assert!(near.contains(target), "{separation}");
                    yes += 1;
                }
                let others = all.iter().filter(|(other, ..)| other == target);
                let nearest =
                    others.map(|(.., other)| mover.distance(&other.core()).separation).fold(f64::INFINITY, f64::min);
                if nearest > 1e-5 {
                    assert!(!near.contains(target), "{nearest}");
                    no += 1;
                }
            }
            let mut nearest = vec![];
            world.nearest(&shape, f32::INFINITY, 1, &Filter::ALL, &mut nearest);
            assert!((nearest[0].distance.separation - least).abs() < 1e-6, "{nearest:?} {least}");
        }
    }
    assert!(yes > 200 && no > 1000, "{yes} {no}");
}

#[test]
fn sweeps_stop_at_cylinders_and_pass_through_none() {
    let mut rng = Rng::with_seed(SEED ^ 803);
    let (mut hits, mut clear) = (0, 0);
    for _ in 0..12 {
        let (world, all) = scene(&mut rng);
        for case in 0..60 {
            let (at, half, turn) = (
                vector(&mut rng, 9.0),
                vector(&mut rng, 0.4).abs() + 0.02,
                Quat::from_scaled_axis(vector(&mut rng, 3.0)),
            );
            let motion = vector(&mut rng, 5.0) - at;
            let obb = Obb::new(at, turn, half).unwrap();
            let capsule = Capsule::from_half_axis(at, turn * Vec3::Y * 0.5, half.x).unwrap();
            let ball = Sphere::new(at, half.y).unwrap();
            let own = Shape::from(Cylinder::from_half_axis(at, turn * Vec3::Z * half.z, [half.x, half.y]).unwrap());
            let told = |mover: ConvexCore, swept: SweptBody| {
                let hit = swept.hit.map(|hit| (hit.toi, hit.normal));
                (mover, swept.position - at, hit, swept.overlap.is_some())
            };
            let (mover, end, hit, is_overlap) = match case % 4 {
                0 => {
                    let swept = world.sweep(&BoxSweep::new(obb, motion).unwrap(), &Filter::ALL);
                    told(core(obb), swept)
                }
                1 => {
                    let swept = world.sweep(&SphereSweep::new(ball, motion).unwrap(), &Filter::ALL);
                    told(core(ball), swept)
                }
                2 => {
                    let swept = world.sweep(&CapsuleSweep::new(capsule, motion).unwrap(), &Filter::ALL);
                    told(core(capsule), swept)
                }
                _ => {
                    let swept = world.sweep(&ShapeSweep::new(&own, motion).unwrap(), &Filter::ALL);
                    (
                        of(&own).core(),
                        swept.translation,
                        swept.hit.map(|hit| (hit.toi, hit.normal)),
                        swept.overlap.is_some(),
                    )
                }
            };
            let apart = |way: Vec3| {
                let there = mover.translated(way).unwrap();
                all.iter().map(|(.., other)| there.distance(&other.core()).separation).fold(f64::INFINITY, f64::min)
            };
            if is_overlap {
                assert!(apart(Vec3::ZERO) < 1e-5);
                continue;
            }
            let until = hit.map_or(1.0, |(toi, _)| toi);
            for i in 0..=40 {
                assert!(apart(motion * (until * i as f32 / 40.0)) > -1e-5, "case {case}: {i}");
            }
            assert!(apart(end) > -1e-6, "case {case}");
            if let Some((toi, normal)) = hit {
                assert!(apart(motion * toi) < 1e-5 && normal.dot(motion) < 1e-6 * motion.length(), "case {case}");
                hits += 1;
            } else {
                assert!((end - motion).length() < 1e-5);
                clear += 1;
            }
            // What has stopped may go along, and out of what it was pushed into.
            if case % 4 == 1 {
                let stands = Sphere::new(at + end, half.y).unwrap();
                let free = world.depenetrate(&stands, &Filter::ALL);
                assert!(free.is_some_and(|free| (free - stands.center()).length() < 1e-5));
            }
        }
    }
    assert!(hits > 250 && clear > 100, "{hits} {clear}");
}

#[test]
fn turning_boxes_stop_at_cylinders() {
    let mut rng = Rng::with_seed(SEED ^ 804);
    let mut hits = 0;
    for _ in 0..5 {
        let (world, all) = scene(&mut rng);
        for case in 0..30 {
            let at = vector(&mut rng, 9.0);
            let body = Obb::new(at, Quat::IDENTITY, Vec3::new(0.5, 0.3, 0.1)).unwrap();
            let sweep = TurningBoxSweep::new(&body, vector(&mut rng, 4.0) - at, vector(&mut rng, 5.0)).unwrap();
            let swept = world.sweep_turning(&sweep, 1e-3, &Filter::ALL);
            let apart = |body: Obb| {
                let body = core(body);
                all.iter().map(|(.., other)| body.distance(&other.core()).separation).fold(f64::INFINITY, f64::min)
            };
            if swept.overlap.is_some() {
                assert!(apart(body) < 1e-5);
                continue;
            }
            let until = swept.hit.as_ref().map_or(1.0, |hit| hit.toi);
            for i in 0..=30 {
                let gap = apart(sweep.pose(until * i as f32 / 30.0));
                assert!(gap > -1e-5, "case {case}: {gap} at {i}");
            }
            assert!(apart(swept.body) > -1e-6);
            if swept.hit.is_some() {
                assert!(apart(sweep.pose(until)) < 2e-3, "case {case}");
                hits += 1;
            }
        }
    }
    assert!(hits > 40, "{hits}");
}

#[test]
fn a_camera_sees_every_cylinder_of_which_a_point_is_in_view() {
    let mut rng = Rng::with_seed(SEED ^ 805);
    let (mut seen, mut culled) = (0, 0);
    for _ in 0..40 {
        let (world, all) = scene(&mut rng);
        let camera =
            Camera { position: vector(&mut rng, 6.0), forward: vector(&mut rng, 1.0), far: 12.0, ..Camera::default() };
        let frustum = Frustum::from_camera(&camera).unwrap();
        let mut visible = vec![];
        world.cull(&frustum, &Filter::ALL, &mut visible);
        for (target, _, own) in &all {
            let is_visible = visible.iter().any(|key| Target::from(*key) == *target);
            let (center, core) = (own.center().as_dvec3(), own.core());
            let any_inside = (0..200).any(|_| {
                let point = core.support(vector(&mut rng, 1.0).as_dvec3()) * 0.9 + center * 0.1;
                frustum.contains_point(point.as_vec3())
            });
            assert!(is_visible || !any_inside);
            (seen, culled) = (seen + usize::from(is_visible), culled + usize::from(!is_visible));
        }
    }
    assert!(seen > 100 && culled > 100, "{seen} {culled}");
}

#[test]
fn a_scale_keeps_discs_round_or_is_refused() {
    let can = Cylinder::tapered(Vec3::Y, Vec3::Y * 3.0, [1.0, 0.5]).unwrap();
    let of_scale = |own: Cylinder, turn: Quat, scale: Vec3| {
        PlacedCompound::scaled(&Compound::new([own.into()]).unwrap(), turn, Vec3::X, scale)
            .map(|placed| of(&placed.child(0).unwrap()))
    };
    let long = of_scale(can, Quat::IDENTITY, Vec3::new(2.0, -3.0, 2.0)).unwrap();
    assert_eq!(long, Cylinder::tapered(Vec3::new(1.0, -3.0, 0.0), Vec3::new(1.0, -9.0, 0.0), [2.0, 1.0]).unwrap());
    assert_eq!(of_scale(can, Quat::IDENTITY, Vec3::new(2.0, 1.0, 1.0)), Err(CompoundError::Scale { child: 0 }));
    let slanted = Cylinder::new(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0), 0.5).unwrap();
    assert_eq!(of_scale(slanted, Quat::IDENTITY, Vec3::new(1.0, 2.0, 1.0)), Err(CompoundError::Scale { child: 0 }));
    let turn = Quat::from_scaled_axis(Vec3::new(0.3, 1.0, -0.4));
    let large = of_scale(slanted, turn, Vec3::splat(4.0)).unwrap();
    assert_eq!(large.radii(), [2.0; 2]);
    assert!(large.half_axis().distance(turn * slanted.half_axis() * 4.0) < 1e-5);
}

#[test]
fn what_is_saved_is_restored_and_hashes_tell_cylinders_apart() {
    let mut rng = Rng::with_seed(SEED ^ 806);
    let (world, all) = scene(&mut rng);
    let text = serde_json::to_string(&world.snapshot()).unwrap();
    let restored = World::restore(&serde_json::from_str::<Snapshot>(&text).unwrap()).unwrap();
    assert_eq!(restored.hash(), world.hash());
    for (.., own) in &all {
        let text = serde_json::to_string(own).unwrap();
        assert_eq!(serde_json::from_str::<Cylinder>(&text).unwrap(), *own);
    }
    let flat = r#"{"center":[0,0,0],"half_axis":[0,0,0],"radii":[1,1]}"#;
    assert!(serde_json::from_str::<Cylinder>(flat).is_err());
    let ray = Ray::new(Vec3::X * 9.0, all[0].2.center() - Vec3::X * 9.0).unwrap();
    assert_eq!(restored.cast_ray(&ray, 99.0, &Filter::ALL), world.cast_ray(&ray, 99.0, &Filter::ALL));
    let hash = |own: Cylinder| {
        let mut world = World::with_tag(1);
        world.insert(Object::fixed(own));
        world.hash()
    };
    let own = |radii| Cylinder::from_half_axis(Vec3::ZERO, Vec3::Y, radii).unwrap();
    let hashes = [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]].map(|radii| hash(own(radii)));
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2]);
    assert!(serde_json::from_str::<Snapshot>(&text.replacen("\"layout\":9", "\"layout\":8", 1)).is_err());
}

#[test]
fn lines_and_triangles_lie_on_the_surface() {
    let mut rng = Rng::with_seed(SEED ^ 807);
    for _ in 0..20 {
        let own = cylinder(&mut rng, 2.0);
        let mut world = World::with_tag(1);
        world.insert(Object::fixed(own));
        let mut lines = 0;
        world.debug_draw(&DrawOptions::default(), &Filter::ALL, |line| {
            lines += 1;
            for point in [line.start, line.end] {
                assert!(own.signed_distance(point).abs() < 1e-5, "{line:?} {own:?}");
            }
        });
        assert_eq!(lines, 52);
        let mut volume = 0.0;
        let around = Aabb::new(Vec3::splat(-9.0), Vec3::splat(9.0)).unwrap();
        world.triangles_in(&around, &Filter::ALL, |shown| {
            let [a, b, c] = shown.triangle.points().map(|point| {
                assert!(own.signed_distance(point).abs() < 1e-5, "{shown:?} {own:?}");
                point.as_dvec3()
            });
            volume += a.dot(b.cross(c)) / 6.0;
        });
        // A polygon of sixteen corners instead of a circle.
        let expected = own.moments().volume * 8.0 * (std::f64::consts::PI / 8.0).sin() / std::f64::consts::PI;
        assert!((volume / expected - 1.0).abs() < 1e-3, "{volume} {expected}");
    }
}

#[test]
fn cylinders_are_posed_and_turned_as_they_are_told() {
    let mut world = World::with_tag(1);
    let key = world.insert(Object::moving(Cylinder::cone(Vec3::ZERO, Vec3::Y * 2.0, 1.0).unwrap()));
    let turn = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    world.object_mut(key).unwrap().set_transform(turn, Vec3::X * 5.0).unwrap();
    let own = of(&world.object(key).unwrap().shape);
    assert!(own.center().distance(Vec3::X * 5.0) < 1e-6 && own.half_axis().distance(Vec3::NEG_X) < 1e-6);
    let (rotation, translation) = world.object(key).unwrap().transform();
    assert!(rotation.dot(turn).abs() > 0.999_999 && translation.distance(Vec3::X * 5.0) < 1e-6);
    let floor = Plane::new(Vec3::Y, 0.0).unwrap();
    world.insert_plane(WorldPlane::half_space(floor).layers(1));
    let moved = Shape::from(own).transformed(Quat::IDENTITY, Vec3::Y * 9.0).unwrap();
    let swept = world.sweep(&ShapeSweep::new(&moved, Vec3::Y * -20.0).unwrap(), &Filter::ALL.without(&[key]));
    assert!((swept.translation.y + 8.0).abs() < 1e-5 && swept.hit.unwrap().normal == Vec3::Y);
    assert_eq!(of(&moved).core().support(DVec3::Y).y, 10.0);
}

#[test]
fn a_crate_that_steps_move_stands_on_a_drum_and_rests() {
    for turn in [0.0, 0.3, 0.785] {
        let (mut world, mut boxes) = (World::with_tag(1), BoxStepper::new());
        world.insert(Object::fixed(Cylinder::new(Vec3::NEG_Y, Vec3::ZERO, 2.0).unwrap()));
        let turn = Quat::from_rotation_y(turn);
        let crate_ = Obb::new(Vec3::new(0.3, 0.8, -0.2), turn, Vec3::new(0.5, 0.5, 0.4)).unwrap();
        let key = world.insert(Object::moving(crate_));
        let body = BoxBody { response: Response::Bounce { restitution: 0.0, friction: 0.5 }, ..BoxBody::default() };
        boxes.insert(&mut world, key, body).unwrap();
        for _ in 0..300 {
            boxes.step(&mut world, 1.0 / 60.0, &BoxStepConfig::default()).unwrap();
        }
        let Shape::Obb(now) = world.object(key).unwrap().shape else { panic!("a box") };
        assert!((now.center().y - 0.5).abs() < 2e-3 && now.half_edges()[1].normalize().y > 0.9999, "{now:?}");
        assert!(boxes.body(key).unwrap().velocity.length() < 1e-2, "{:?}", boxes.body(key));
    }
}

#[test]
fn characters_walk_over_a_low_drum_and_along_a_pipe() {
    let mut world = World::with_tag(1);
    world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0)).unwrap()));
    world.insert(Object::fixed(Cylinder::new(Vec3::NEG_Y * 0.5, Vec3::Y * 0.2, 2.0).unwrap()));
    world.insert(Object::fixed(Cylinder::new(Vec3::new(-4.0, 0.0, 5.0), Vec3::new(4.0, 0.0, 5.0), 0.25).unwrap()));
    let dt = 1.0 / 60.0;
    for (z, height) in [(0.5, 0.2), (5.0, 0.25)] {
        let mut hero = Character::new(Capsule::new(Vec3::new(-3.5, 0.3, z), Vec3::new(-3.5, 1.5, z), 0.3).unwrap());
        let mut most = 0f32;
        for _ in 0..180 {
            hero.velocity = Vec3::new(2.0, hero.velocity.y, 0.0);
            Mover::default().walk(&world, &mut hero, dt, &Filter::ALL).unwrap();
            most = most.max(hero.body.center().y - 0.9);
        }
        assert!(hero.body.center().x > 2.3 && hero.body.center().z - z < 0.05, "{hero:?}");
        assert!((most - height).abs() < 0.05, "{most} {hero:?}");
    }
}
