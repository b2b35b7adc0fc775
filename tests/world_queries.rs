//! A world's answers are those of asking every object and plane in turn, after any edits.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BodyHit, BodyOverlap, Filter, Near, Object, ObjectKey, RayHit, Shape, Target, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{
        Aabb, BoxSweep, Brush, Camera, Containment, Frustum, Obb, Overlap, Patch, Plane, Ray, Segment, Side, Sides,
        Sphere, SphereSweep, Sweep,
    },
};

const EDITS: usize = 1000;

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (rng.f32() - 0.5) * size))
}

/// Now and then on whole numbers, so that there are touches and ties, or beside zero by less than a sum with them keeps.
fn point(rng: &mut Rng) -> Vec3 {
    let point = vector(rng, 24.0);
    match rng.usize(0..4) {
        0 | 1 => point,
        2 => point.round(),
        _ => {
            let mut point = (0.2 * point).round();
            point[rng.usize(0..3)] = [1e-9, -1e-9, 1e-17, -1e-17, 1e-30, -1e-30, 1e-40, -1e-40][rng.usize(0..8)];
            point
        }
    }
}

fn turned(rng: &mut Rng) -> Obb {
    let half_extents = Vec3::new(1.0, 2.0, 3.0) * if rng.bool() { 1.0 } else { 0.2 + rng.f32() };
    let rotation = if rng.bool() { Quat::IDENTITY } else { Quat::from_scaled_axis(vector(rng, 6.0)) };
    Obb::new(point(rng), rotation, half_extents).unwrap()
}

fn shape(rng: &mut Rng) -> Shape {
    let upright = Aabb::from_center_half_extents(point(rng), Vec3::new(3.0, 2.0, 1.0)).unwrap();
    match rng.usize(0..5) {
        0 => upright.into(),
        1 => turned(rng).into(),
        2 => Sphere::new(point(rng), rng.u32(0..3) as f32).unwrap().into(),
        3 => Brush::try_from(&upright).unwrap().into(),
        _ => {
            let (corner, a, b) = (point(rng), vector(rng, 9.0).round(), vector(rng, 9.0));
            // The first edge may have been rounded to nothing.
            Patch::new(&[corner, corner + a, corner + b]).map_or_else(|_| upright.into(), Shape::from)
        }
    }
}

fn layers(rng: &mut Rng) -> u32 {
    if rng.bool() { u32::MAX } else { rng.u32(0..8) }
}

fn plane(rng: &mut Rng) -> Plane {
    let normal = if rng.bool() { Vec3::AXES[rng.usize(0..3)] } else { vector(rng, 2.0) };
    Plane::from_point_normal(point(rng), normal).unwrap()
}

/// One edit of any kind; some thirty objects and three planes stay.
fn edit(world: &mut World, rng: &mut Rng) {
    let keys: Vec<ObjectKey> = world.objects().map(|(key, _)| key).collect();
    let planes: Vec<_> = world.planes().map(|(key, _)| key).collect();
    let any = |rng: &mut Rng| keys[rng.usize(0..keys.len())];
    match rng.usize(0..8) {
        0 if keys.len() > 30 => assert!(world.remove(any(rng)).is_some()),
        1 if !keys.is_empty() => assert!(world.set_shape(any(rng), shape(rng)).is_some()),
        2 if !keys.is_empty() => assert!(world.set_layers(any(rng), layers(rng)).is_some()),
        3 if planes.len() > 3 => assert!(world.remove_plane(planes[rng.usize(0..planes.len())]).is_some()),
        4 if !planes.is_empty() => {
            assert!(world.set_plane(planes[rng.usize(0..planes.len())], plane(rng)).is_some());
        }
        5 if planes.len() < 5 => {
            let (plane, layers) = (plane(rng), layers(rng));
            if rng.bool() {
                world.insert_plane(plane, layers)
            } else {
                world.insert_wall(plane, layers)
            };
        }
        6 => world.optimize(),
        7 => drop(world.update(0.1)),
        _ => {
            let shape = shape(rng);
            let object = if rng.bool() { Object::fixed(shape) } else { Object::moving(shape) };
            world.insert(object.layers(layers(rng)).user(rng.u64(0..4)));
        }
    }
}

/// What a moving body meets: all that it overlaps at the start, and what it hits first.
type Swept = (Vec<BodyOverlap>, Option<BodyHit>);

/// A world, and whom to look at in it.
struct Asked<'a> {
    world: &'a World,
    layers: u32,
    excluded: &'a [ObjectKey],
}

/// Three of four users.
fn is_wanted(_: ObjectKey, object: &Object) -> bool {
    object.user != 3
}

impl Asked<'_> {
    fn filter(&self) -> Filter<'_> {
        Filter::layers(self.layers).without(self.excluded).only(&is_wanted)
    }

    fn objects(&self) -> impl Iterator<Item = (ObjectKey, &Shape)> {
        let accepts = |key: ObjectKey, object: &Object| {
            object.layers & self.layers != 0 && !self.excluded.contains(&key) && is_wanted(key, object)
        };
        self.world
            .objects()
            .filter(move |(key, object)| accepts(*key, object))
            .map(|(key, object)| (key, &object.shape))
    }

    fn planes(&self) -> impl Iterator<Item = (Target, &WorldPlane)> {
        self.world.planes().filter(|(_, entry)| entry.layers & self.layers != 0).map(|(key, entry)| (key.into(), entry))
    }

    /// All that a ray meets, in order.
    fn cast_all(&self, ray: &Ray, max_distance: f32) -> Vec<RayHit> {
        let objects = self.objects().map(|(key, shape)| (Target::from(key), ray.cast(shape, max_distance)));
        let planes = self.planes().map(|(key, entry)| match entry.sides {
            Sides::Front => (key, ray.cast_front(&entry.plane, max_distance)),
            Sides::Both => (key, ray.cast(&entry.plane, max_distance)),
        });
        let hits = objects.chain(planes).filter_map(|(target, hit)| Some((target, hit?)));
        let mut hits: Vec<_> = hits
            .map(|(target, hit)| RayHit {
                target,
                distance: hit.distance,
                exit: hit.exit,
                normal: hit.normal,
                inside: hit.inside,
            })
            .collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.target.cmp(&b.target)));
        hits
    }

    /// What touches, by key, given the test of an object and the side of a plane.
    fn touched(&self, touches: impl Fn(&Shape) -> bool, side: impl Fn(&Plane) -> Side) -> Vec<Target> {
        let planes = self.planes().filter(|(_, entry)| match (entry.sides, side(&entry.plane)) {
            (Sides::Front, side) => side != Side::Front,
            (Sides::Both, side) => side == Side::Straddling,
        });
        let objects = self.objects().filter(|(_, shape)| touches(shape)).map(|(key, _)| Target::from(key));
        let mut touched: Vec<_> = objects.chain(planes.map(|(key, _)| key)).collect();
        touched.sort_unstable();
        touched
    }

    fn nearest(&self, point: Vec3, count: usize) -> Vec<Near> {
        let objects = self.objects().map(|(key, shape)| {
            let nearest = match shape {
                Shape::Aabb(shape) => shape.closest_point(point),
                Shape::Obb(shape) => shape.closest_point(point),
                Shape::Sphere(shape) => shape.closest_point(point),
                Shape::Brush(shape) => shape.closest_point(point),
                Shape::Patch(shape) => shape.closest_point(point),
            };
            (Target::from(key), nearest)
        });
        let planes = self.planes().map(|(key, WorldPlane { plane, sides, .. })| {
            let is_inside = *sides == Sides::Front && plane.side_of_point(point) != Side::Front;
            (key, if is_inside { point } else { plane.closest_point(point) })
        });
        let distance = |nearest: Vec3| nearest.as_dvec3().distance(point.as_dvec3()) as f32;
        let found = objects.chain(planes);
        let mut near: Vec<_> = found.map(|(target, point)| Near { target, distance: distance(point), point }).collect();
        near.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.target.cmp(&b.target)));
        near.truncate(count);
        near
    }

    /// What a body meets, given the first touch of an object and of a plane.
    fn swept(&self, touch: impl Fn(&Shape) -> Sweep, touch_plane: impl Fn(&WorldPlane) -> Sweep) -> Swept {
        let objects = self.objects().map(|(key, shape)| (Target::from(key), touch(shape)));
        let planes = self.planes().map(|(key, entry)| (key, touch_plane(entry)));
        let (mut overlaps, mut first) = (Vec::new(), None::<BodyHit>);
        for (target, answer) in objects.chain(planes) {
            match answer {
                Sweep::Clear => {}
                Sweep::Overlap(Overlap { depth, normal, contacts }) => {
                    overlaps.push(BodyOverlap { target, depth, normal, contacts });
                }
                Sweep::Hit(hit) => {
                    if first.is_none_or(|first| (hit.toi, target) < (first.toi, first.target)) {
                        first = Some(BodyHit { target, toi: hit.toi, normal: hit.normal, contacts: hit.contacts });
                    }
                }
            }
        }
        (overlaps, first)
    }

    fn swept_box(&self, sweep: &BoxSweep) -> Swept {
        let touch = |shape: &Shape| match shape {
            Shape::Aabb(shape) => sweep.against_aabb(shape),
            Shape::Obb(shape) => sweep.against_obb(shape),
            Shape::Sphere(shape) => sweep.against_sphere(shape),
            Shape::Brush(shape) => sweep.against_brush(shape),
            Shape::Patch(shape) => sweep.against_patch(shape),
        };
        self.swept(touch, |entry| sweep.against_plane(&entry.plane, entry.sides))
    }

    fn swept_sphere(&self, sweep: &SphereSweep) -> Swept {
        let touch = |shape: &Shape| match shape {
            Shape::Aabb(shape) => sweep.against_aabb(shape),
            Shape::Obb(shape) => sweep.against_obb(shape),
            Shape::Sphere(shape) => sweep.against_sphere(shape),
            Shape::Brush(shape) => sweep.against_brush(shape),
            Shape::Patch(shape) => sweep.against_patch(shape),
        };
        self.swept(touch, |entry| sweep.against_plane(&entry.plane, entry.sides))
    }

    /// Whether a ball that came from its `start` penetrates nothing: by the nearest points of objects up to the rounding of these, and by
    /// what its gaps are.
    fn assert_free(&self, start: &Sphere, ball: &Sphere) {
        let rounding = 1e-5;
        for (key, shape) in self.objects() {
            let (nearest, gap) = match shape {
                Shape::Aabb(shape) => (shape.closest_point(ball.center()), shape.gap_of_sphere(ball)),
                Shape::Obb(shape) => (shape.closest_point(ball.center()), shape.gap_of_sphere(ball)),
                Shape::Sphere(shape) => (shape.closest_point(ball.center()), shape.gap_of_sphere(ball)),
                Shape::Brush(shape) => (shape.closest_point(ball.center()), shape.gap_of_sphere(ball)),
                Shape::Patch(shape) => (shape.closest_point(ball.center()), shape.gap_of_sphere(ball)),
            };
            let distance = nearest.distance(ball.center());
            assert!(distance >= ball.radius() - rounding, "{distance} from {key:?} {shape:?}: {start:?} {ball:?}");
            assert!(gap.separation >= 0.0, "{gap:?} to {key:?} {shape:?}: {start:?} {ball:?}");
        }
        for (key, WorldPlane { plane, sides, .. }) in self.planes() {
            let [before, now] = [start, ball].map(|ball| plane.signed_distance(ball.center()));
            let is_ignored = *sides == Sides::Front && before + ball.radius() <= rounding;
            let side = if *sides == Sides::Both && before < 0.0 { -1.0 } else { 1.0 };
            let is_free = is_ignored || before.abs() <= rounding || side * now >= ball.radius() - rounding;
            assert!(is_free, "{now} from {key:?} {plane:?}: {start:?} {ball:?}");
            assert!(plane.gap_of_sphere_since(start, ball, *sides).separation >= 0.0, "{key:?} {plane:?} {ball:?}");
        }
    }

    /// Returns how much was met, as do the others.
    fn check_paths(&self, rng: &mut Rng) -> usize {
        let filter = self.filter();
        let ray = loop {
            if let Ok(ray) = Ray::new(point(rng), point(rng) - point(rng)) {
                break ray;
            }
        };
        let max_distance = [f32::INFINITY, 5.0, 0.0, -1.0][rng.usize(0..4)];
        let expected = self.cast_all(&ray, max_distance);
        let mut hits = vec![];
        self.world.cast_ray_all(&ray, max_distance, &filter, &mut hits);
        assert_eq!(hits, expected, "{ray:?} up to {max_distance}");
        assert_eq!(self.world.cast_ray(&ray, max_distance, &filter), expected.first().copied(), "{ray:?}");
        assert_eq!(self.world.any_ray_hit(&ray, max_distance, &filter), !expected.is_empty(), "{ray:?}");
        let mut answers = vec![];
        self.world.cast_rays(&[ray; 2], max_distance, &filter, &mut answers);
        assert_eq!(answers, [expected.first().copied(); 2], "{ray:?}");

        let segment = Segment::between(point(rng), point(rng)).unwrap();
        let objects = self.objects().map(|(key, shape)| (Target::from(key), segment.cast(shape)));
        let planes = self.planes().map(|(key, entry)| match entry.sides {
            Sides::Front => (key, segment.cast_front(&entry.plane)),
            Sides::Both => (key, segment.cast(&entry.plane)),
        });
        let crossed = objects.chain(planes).filter_map(|(key, hit)| Some((key, hit?)));
        let first = crossed.min_by(|a, b| a.1.fraction.total_cmp(&b.1.fraction).then(a.0.cmp(&b.0)));
        let found = self.world.cast_segment(&segment, &filter);
        assert_eq!(
            found.map(|hit| (hit.target, hit.fraction, hit.normal)),
            first.map(|(key, hit)| (key, hit.fraction, hit.normal))
        );
        assert_eq!(self.world.any_hit(&segment, &filter), first.is_some(), "{segment:?}");
        hits.len() + usize::from(first.is_some())
    }

    fn check_volumes(&self, rng: &mut Rng) -> usize {
        let (filter, mut near) = (self.filter(), vec![]);
        let obb = turned(rng);
        self.world.overlap_box(&obb, &filter, &mut near);
        let touches = |shape: &Shape| match shape {
            Shape::Aabb(shape) => shape.overlaps_obb(&obb),
            Shape::Obb(shape) => shape.overlaps(&obb),
            Shape::Sphere(shape) => shape.overlaps_obb(&obb),
            Shape::Brush(shape) => shape.overlaps_obb(&obb),
            Shape::Patch(shape) => shape.overlaps_obb(&obb),
        };
        assert_eq!(near, self.touched(touches, |plane| plane.side_of_obb(&obb)), "{obb:?}");

        let sphere = Sphere::new(point(rng), rng.u32(0..4) as f32).unwrap();
        let touches = |sphere: &Sphere, shape: &Shape| match shape {
            Shape::Aabb(shape) => shape.overlaps_sphere(sphere),
            Shape::Obb(shape) => shape.overlaps_sphere(sphere),
            Shape::Sphere(shape) => shape.overlaps(sphere),
            Shape::Brush(shape) => shape.overlaps_sphere(sphere),
            Shape::Patch(shape) => shape.overlaps_sphere(sphere),
        };
        let mut met = near.len();
        near.clear();
        self.world.overlap_sphere(&sphere, &filter, &mut near);
        let expected = self.touched(|shape| touches(&sphere, shape), |plane| plane.side_of_sphere(&sphere));
        assert_eq!(near, expected, "{sphere:?}");
        met += near.len();
        near.clear();
        self.world.overlap_point(sphere.center(), &filter, &mut near);
        let dot = Sphere::new(sphere.center(), 0.0).unwrap();
        let expected = self.touched(|shape| touches(&dot, shape), |plane| plane.side_of_sphere(&dot));
        assert_eq!(near, expected, "{dot:?}");

        for count in [1, 5, 1000] {
            let (at, mut near) = (point(rng), vec![]);
            self.world.nearest(at, count, &filter, &mut near);
            assert_eq!(near, self.nearest(at, count), "{at} {count}");
        }
        met
    }

    fn check_sides(&self, rng: &mut Rng) -> usize {
        let (filter, plane) = (self.filter(), plane(rng));
        let side = |plane: &Plane, shape: &Shape| match shape {
            Shape::Aabb(shape) => plane.side_of_aabb(shape),
            Shape::Obb(shape) => plane.side_of_obb(shape),
            Shape::Sphere(shape) => plane.side_of_sphere(shape),
            Shape::Brush(shape) => shape.side_of(plane),
            Shape::Patch(shape) => shape.side_of(plane),
        };
        let mut sides = vec![];
        self.world.for_each_side(&plane, &filter, |key, side| sides.push((key, side)));
        sides.sort_unstable_by_key(|(key, _)| *key);
        let expected: Vec<_> = self.objects().map(|(key, shape)| (key, side(&plane, shape))).collect();
        assert_eq!(sides, expected, "{plane:?}");

        let camera = Camera {
            position: point(rng),
            forward: vector(rng, 2.0),
            far: 1.0 + 20.0 * rng.f32(),
            ..Camera::default()
        };
        let frustum = Frustum::from_camera(&camera).unwrap();
        let mut visible = vec![];
        self.world.cull(&frustum, &filter, &mut visible);
        let is_visible = |shape: &Shape| match shape {
            Shape::Aabb(shape) => frustum.intersects_aabb(shape),
            Shape::Obb(shape) => frustum.intersects_obb(shape),
            Shape::Sphere(shape) => frustum.intersects_sphere(shape),
            Shape::Brush(_) | Shape::Patch(_) => {
                let is_out = frustum.planes().iter().any(|plane| side(plane, shape) == Side::Back);
                !is_out && frustum.containment_of_aabb(&shape.aabb()) != Containment::Outside
            }
        };
        let expected: Vec<_> = self.objects().filter(|(_, shape)| is_visible(shape)).map(|(key, _)| key).collect();
        assert_eq!(visible, expected, "{camera:?}");

        visible.clear();
        self.world.cull_each(&frustum, &filter, |key, containment| {
            assert_ne!(containment, Containment::Outside, "{key:?}");
            visible.push(key);
        });
        visible.sort_unstable();
        assert_eq!(visible, expected, "{camera:?}, one by one");
        visible.len()
    }

    fn check_sweeps(&self, rng: &mut Rng) -> usize {
        let motion = if rng.usize(0..5) == 0 { Vec3::ZERO } else { point(rng) };
        let sweep = BoxSweep::new(turned(rng), motion).unwrap();
        let found = self.world.sweep_box(&sweep, &self.filter());
        let expected = self.swept_box(&sweep);
        assert_same(found.hit, found.overlap, &expected, &sweep);
        usize::from(expected.1.is_some())
    }

    fn check_ball_sweeps(&self, rng: &mut Rng) -> usize {
        let motion = if rng.usize(0..5) == 0 { Vec3::ZERO } else { point(rng) };
        let radius = [0.0, 1e-9, 0.25, 1.0, 2.5][rng.usize(0..5)];
        let ball = Sphere::new(point(rng), radius).unwrap();
        let sweep = SphereSweep::new(ball, motion * if rng.bool() { 1.0 } else { 100.0 }).unwrap();
        let found = self.world.sweep_sphere(&sweep, &self.filter());
        let expected = self.swept_sphere(&sweep);
        assert_same(found.hit, found.overlap, &expected, &sweep);
        let end = Sphere::new(found.position, radius).unwrap();
        if found.overlap.is_some() {
            assert_eq!(end, ball);
        } else {
            self.assert_free(&ball, &end);
        }
        usize::from(expected.1.is_some())
    }
}

/// Whether a sweep ends as its body meets things: it overlaps the deepest, or hits the first.
fn assert_same(hit: Option<BodyHit>, overlap: Option<BodyOverlap>, expected: &Swept, sweep: &dyn std::fmt::Debug) {
    let (overlaps, first) = expected;
    let deepest = overlaps.iter().max_by(|a, b| a.depth.total_cmp(&b.depth).then(b.target.cmp(&a.target)));
    assert_eq!(overlap, deepest.copied(), "{sweep:?}");
    assert_eq!(hit, first.filter(|_| overlaps.is_empty()), "{sweep:?}");
}

#[test]
fn a_world_answers_as_every_object_and_plane_in_turn() {
    let mut rng = Rng::with_seed(SEED);
    let mut met = [0; 5];
    for _ in 0..5 {
        let mut world = World::new();
        for _ in 0..EDITS {
            edit(&mut world, &mut rng);
            let keys = world.objects().map(|(key, _)| key);
            let excluded: Vec<ObjectKey> = keys.filter(|_| rng.usize(0..9) == 0).collect();
            let asked = Asked { world: &world, layers: layers(&mut rng), excluded: &excluded };
            met[0] += asked.check_paths(&mut rng);
            met[1] += asked.check_volumes(&mut rng);
            met[2] += asked.check_sides(&mut rng);
            met[3] += asked.check_sweeps(&mut rng);
            met[4] += asked.check_ball_sweeps(&mut rng);
        }
    }
    assert!(met.iter().all(|met| *met > EDITS), "the questions meet too little: {met:?}");
}

#[test]
fn all_there_are_may_be_asked_for_beside_what_is_listed_already() {
    let mut world = World::new();
    let keys = [1.0, 5.0].map(|x| world.insert(Object::fixed(Sphere::new(Vec3::X * x, 1.0).unwrap())));
    let mut near = vec![];
    world.nearest(Vec3::ZERO, 1, &Filter::ALL, &mut near);
    world.nearest(Vec3::ZERO, usize::MAX, &Filter::ALL, &mut near);
    assert_eq!(near.iter().map(|near| near.target).collect::<Vec<_>>(), [keys[0], keys[0], keys[1]].map(Target::from));
}

#[test]
fn a_ball_among_hostile_numbers_stops_as_by_every_object_in_turn() {
    let mut rng = Rng::with_seed(SEED);
    let sizes = [0.0, 1e-40, 1e-3, 1.0, 1e4, 1e30];
    let number = |rng: &mut Rng| sizes[rng.usize(0..sizes.len())] * (rng.f32() - 0.5);
    let vector = |rng: &mut Rng| Vec3::new(number(rng), number(rng), number(rng));
    let (mut hits, mut overlaps) = (0, 0);
    for _ in 0..2_000 {
        let mut world = World::new();
        for i in 0..8 {
            let (corner, half) = (vector(&mut rng), vector(&mut rng).abs());
            let rotation = Quat::from_scaled_axis(self::vector(&mut rng, 6.0));
            let shape = match i % 4 {
                0 => Sphere::new(corner, half.x).map(Shape::from),
                1 => Obb::new(corner, rotation, half).map(Shape::from),
                2 => Obb::new(corner, rotation, half).and_then(|obb| Brush::try_from(&obb)).map(Shape::from),
                _ => Patch::new(&[corner, vector(&mut rng), half]).map(Shape::from),
            };
            if let Ok(shape) = shape {
                world.insert(Object::fixed(shape));
            }
            if let Ok(plane) = Plane::from_point_normal(corner, half) {
                world.insert_wall(plane, u32::from(i == 0));
            }
        }
        let asked = Asked { world: &world, layers: u32::MAX, excluded: &[] };
        for _ in 0..8 {
            let Ok(ball) = Sphere::new(vector(&mut rng), number(&mut rng).abs()) else { continue };
            let Ok(sweep) = SphereSweep::new(ball, vector(&mut rng)) else { continue };
            let (found, expected) = (world.sweep_sphere(&sweep, &asked.filter()), asked.swept_sphere(&sweep));
            assert_same(found.hit, found.overlap, &expected, &sweep);
            assert!(Sphere::new(found.position, ball.radius()).is_ok(), "{sweep:?} {found:?}");
            hits += usize::from(found.hit.is_some());
            overlaps += usize::from(found.overlap.is_some());
        }
    }
    assert!(hits > 500 && overlaps > 500, "{hits} {overlaps}");
}
