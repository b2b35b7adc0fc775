//! Questions to a world, many at once.

use crate::{
    keys,
    memory::{Answer, Failure, Input, Module, call, number},
    worlds::{Scene, filter},
};
use cullide_world::{
    DrawOptions, Filter, LineKind, PlaneGrid, RayHit, Shape, ShapeSweep, Target, World,
    glam::{Mat4, Vec3},
    narrowphase::{Aabb, ClipSpace, Frustum, Ray},
};

/// Runs a query: its filter, then whatever else it reads.
fn query(scene: u32, work: impl FnOnce(Question) -> Result<usize, Failure>) -> i32 {
    call(|Module { scenes, shapes, input, answer, .. }| {
        let Scene { world, .. } = scenes.get(scene)?;
        let mut input = Input(input);
        let filter = filter(world, &mut input)?;
        work(Question { world, filter, input, answer, shape: &|handle| shapes.get(handle) })
    })
}

struct Question<'a> {
    world: &'a World,
    filter: Filter<'static>,
    input: Input<'a>,
    answer: &'a mut Answer,
    shape: &'a dyn Fn(u32) -> Result<&'a Shape, Failure>,
}

impl Question<'_> {
    fn rays(&mut self, count: usize) -> Result<Vec<Ray>, Failure> {
        let rays = self.input.floats(6 * count)?.chunks_exact(6).enumerate();
        rays.map(|(i, ray)| number(i, Ray::new(Vec3::from_slice(ray), Vec3::from_slice(&ray[3..])))).collect()
    }

    /// A shape at each of the poses.
    fn shapes(&mut self, shape: u32, count: usize) -> Result<Vec<Shape>, Failure> {
        let (shape, poses) = ((self.shape)(shape)?, self.input.poses(count)?);
        poses.enumerate().map(|(i, (rotation, at))| number(i, shape.transformed(rotation, at))).collect()
    }
}

impl Answer {
    fn targets(&mut self, targets: impl Iterator<Item = Option<Target>>) {
        self.keys.extend(targets.map(|target| target.map_or(0.0, keys::of_target)));
    }

    /// Where the answers of each question begin, and where the last of them ends.
    fn starts(&mut self, lengths: impl Iterator<Item = usize>) -> usize {
        let mut total = 0;
        self.words.push(0);
        for length in lengths {
            total += length;
            self.words.push(total as u32);
        }
        total
    }

    /// Keys; distances, exits, points, normals; parts, surfaces, whether the ray began inside.
    fn hits(&mut self, hits: &[Option<RayHit>]) {
        let all = || hits.iter().map(|hit| hit.as_ref());
        self.targets(all().map(|hit| hit.map(|hit| hit.target)));
        self.floats.extend(all().map(|hit| hit.map_or(f32::INFINITY, |hit| hit.distance)));
        self.floats.extend(all().map(|hit| hit.map_or(f32::INFINITY, |hit| hit.exit)));
        self.vectors(all().map(|hit| hit.map_or(Vec3::ZERO, |hit| hit.point)));
        self.vectors(all().map(|hit| hit.map_or(Vec3::ZERO, |hit| hit.normal)));
        self.words.extend(all().map(|hit| hit.map_or(0, |hit| hit.part)));
        self.words.extend(all().map(|hit| hit.map_or(0, |hit| hit.surface.into())));
        self.words.extend(all().map(|hit| hit.map_or(0, |hit| hit.inside.into())));
    }
}

/// What each ray hits first.
#[unsafe(no_mangle)]
extern "C" fn world_cast_rays(scene: u32, count: usize, max_distance: f32) -> i32 {
    query(scene, |mut question| {
        let (rays, mut hits) = (question.rays(count)?, Vec::with_capacity(count));
        question.world.cast_ray_batch(&rays, max_distance, &question.filter, &mut hits);
        question.answer.hits(&hits);
        Ok(count)
    })
}

/// Whether each ray hits anything.
#[unsafe(no_mangle)]
extern "C" fn world_any_ray_hits(scene: u32, count: usize, max_distance: f32) -> i32 {
    query(scene, |mut question| {
        for ray in question.rays(count)? {
            question.answer.words.push(question.world.any_ray_hit(&ray, max_distance, &question.filter).into());
        }
        Ok(count)
    })
}

/// Everything that each ray hits.
#[unsafe(no_mangle)]
extern "C" fn world_cast_rays_all(scene: u32, count: usize, max_distance: f32) -> i32 {
    query(scene, |mut question| {
        let (mut hits, mut lengths) = (vec![], vec![]);
        for ray in question.rays(count)? {
            let before = hits.len();
            question.world.cast_ray_all(&ray, max_distance, &question.filter, &mut hits);
            lengths.push(hits.len() - before);
        }
        let total = question.answer.starts(lengths.into_iter());
        question.answer.hits(&hits.into_iter().map(Some).collect::<Vec<_>>());
        Ok(total)
    })
}

/// Everything that a shape at each of the poses overlaps.
#[unsafe(no_mangle)]
extern "C" fn world_overlap(scene: u32, shape: u32, count: usize) -> i32 {
    query(scene, |mut question| {
        let (shapes, mut answers) = (question.shapes(shape, count)?, vec![]);
        question.world.overlap_batch(&shapes, &question.filter, &mut answers);
        let total = question.answer.starts(answers.iter().map(Vec::len));
        question.answer.targets(answers.into_iter().flatten().map(Some));
        Ok(total)
    })
}

/// What is nearest to each point: keys; distances, separations, points, normals; starts, parts, surfaces.
#[unsafe(no_mangle)]
extern "C" fn world_nearest(scene: u32, count: usize, max_distance: f32, most: usize) -> i32 {
    query(scene, |mut question| {
        let (points, mut answers) = (question.input.vectors(count)?.collect::<Vec<_>>(), vec![]);
        question.world.nearest_batch(&points, max_distance, most, &question.filter, &mut answers);
        let answer = question.answer;
        let total = answer.starts(answers.iter().map(Vec::len));
        let all = || answers.iter().flatten();
        answer.targets(all().map(|near| Some(near.target)));
        answer.floats.extend(all().map(|near| near.distance));
        answer.floats.extend(all().map(|near| near.separation));
        answer.vectors(all().map(|near| near.point));
        answer.vectors(all().map(|near| near.normal));
        answer.words.extend(all().map(|near| near.part));
        answer.words.extend(all().map(|near| u32::from(near.surface)));
        Ok(total)
    })
}

/// How far a shape gets from each of the poses along each of the motions: keys; times, translations, points, normals;
/// parts, surfaces, whether it overlapped the key from the start.
#[unsafe(no_mangle)]
extern "C" fn world_sweep(scene: u32, shape: u32, count: usize) -> i32 {
    query(scene, |mut question| {
        let (shapes, motions) = (question.shapes(shape, count)?, question.input.vectors(count)?);
        let sweeps = shapes.iter().zip(motions).enumerate();
        let sweeps: Vec<_> =
            sweeps.map(|(i, (shape, motion))| number(i, ShapeSweep::new(shape, motion))).collect::<Result<_, _>>()?;
        let mut swept = Vec::with_capacity(count);
        question.world.sweep_batch(&sweeps, &question.filter, &mut swept);
        let answer = question.answer;
        let met = |swept: &cullide_world::SweptShape| swept.hit.map(|hit| (hit.target, hit.part, hit.surface));
        let inside = |swept: &cullide_world::SweptShape| swept.overlap.map(|one| (one.target, one.part, one.surface));
        let what = || swept.iter().map(|swept| inside(swept).or(met(swept)));
        answer.targets(what().map(|what| what.map(|what| what.0)));
        let time = |swept: &cullide_world::SweptShape| if swept.overlap.is_some() { 0.0 } else { 1.0 };
        answer.floats.extend(swept.iter().map(|swept| swept.hit.map_or(time(swept), |hit| hit.toi)));
        answer.vectors(swept.iter().map(|swept| swept.translation));
        answer.vectors(swept.iter().map(|swept| swept.hit.map_or(Vec3::ZERO, |hit| hit.point)));
        let normal = |swept: &cullide_world::SweptShape| swept.overlap.map_or(Vec3::ZERO, |overlap| overlap.normal);
        answer.vectors(swept.iter().map(|swept| swept.hit.map_or(normal(swept), |hit| hit.normal)));
        answer.words.extend(what().map(|what| what.map_or(0, |what| what.1)));
        answer.words.extend(what().map(|what| what.map_or(0, |what| what.2.into())));
        answer.words.extend(swept.iter().map(|swept| u32::from(swept.overlap.is_some())));
        Ok(count)
    })
}

/// What a camera sees, from its projection · view in columns, for clip depths from 0 or from -1 to 1.
#[unsafe(no_mangle)]
extern "C" fn world_cull(scene: u32, zero_to_one: bool) -> i32 {
    query(scene, |mut question| {
        let matrix = Mat4::from_cols_slice(question.input.floats(16)?);
        let clip_space = if zero_to_one { ClipSpace::ZeroToOne } else { ClipSpace::MinusOneToOne };
        let mut visible = vec![];
        question.world.cull(&Frustum::from_matrix(&matrix, clip_space)?, &question.filter, &mut visible);
        question.answer.keys.extend(visible.into_iter().map(keys::of_object));
        Ok(question.answer.keys.len())
    })
}

/// The lines of a debug view: ends; kinds. Reads `[shapes, leaves, nodes + 1, has bounds]`, then the spacing of grids in
/// planes and the seconds of velocities, zero for none, and the bounds.
#[unsafe(no_mangle)]
extern "C" fn world_debug_lines(scene: u32) -> i32 {
    query(scene, |mut question| {
        let (choice, lengths) = (question.input.words(4)?, question.input.floats(8)?);
        let bounds =
            (choice[3] != 0).then(|| Aabb::new(Vec3::from_slice(&lengths[2..]), Vec3::from_slice(&lengths[5..])));
        let within = bounds.transpose()?;
        let around = within.map_or(Vec3::ZERO, |aabb| aabb.center());
        let options = DrawOptions {
            shapes: choice[0] != 0,
            leaves: choice[1] != 0,
            nodes: (choice[2] as usize).checked_sub(1),
            planes: (lengths[0] > 0.0).then_some(PlaneGrid { around, spacing: lengths[0], cells: 20 }),
            velocities: (lengths[1] > 0.0).then_some(lengths[1]),
            contacts: None,
            within,
        };
        let answer = question.answer;
        question.world.debug_draw(&options, &question.filter, |line| {
            answer.vectors([line.start, line.end].into_iter());
            answer.words.push(match line.kind {
                LineKind::Fixed => 0,
                LineKind::Moving => 1,
                LineKind::Plane => 2,
                LineKind::Leaf => 3,
                LineKind::Velocity => 4,
                LineKind::Node { depth } => 8 + depth as u32,
                _ => 5,
            });
        });
        Ok(answer.words.len())
    })
}
