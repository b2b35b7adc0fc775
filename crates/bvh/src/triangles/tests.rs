use super::{distance::SquareBounds, *};
use crate::{
    Instructions, Packet, Probe, Visit,
    lanes::{LANES, load, vectorized},
};
use cullide_narrowphase::{Cast, Ray, Sides, Solid, Triangle};
use std::ops::ControlFlow::Continue;

/// Triangles and rays in the same space, with small integer coordinates: many rays run along edges and through corners.
struct Random(u32);

impl Random {
    fn below(&mut self, size: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) % size
    }

    fn point(&mut self, size: u32) -> Vec3 {
        Vec3::from([(); 3].map(|()| self.below(size) as f32))
    }

    fn ray(&mut self) -> Option<Ray> {
        Ray::new(self.point(200), self.point(200) - self.point(200)).ok()
    }
}

/// Triangles with an area, their vertices, and the numbers of those that are in the tree.
struct Soup {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    numbers: Vec<u32>,
}

impl Soup {
    /// Small triangles, some of which share corners; every seventh is left out.
    fn new(random: &mut Random, count: u32, shared: bool) -> Self {
        let mut soup = Self { vertices: vec![], triangles: vec![], numbers: vec![] };
        while soup.triangles.len() < count as usize {
            let first = soup.vertices.len() as u32;
            let corners = match soup.vertices.last() {
                Some(&last) if shared && random.below(3) > 0 => {
                    soup.vertices.push(last + random.point(6) - random.point(6));
                    [first, first - 1, first - 2]
                }
                _ => {
                    let corner = random.point(200);
                    soup.vertices.extend([corner, corner + random.point(12), corner + random.point(12)]);
                    [first, first + 1, first + 2]
                }
            };
            let [a, b, c] = corners.map(|vertex| soup.vertices[vertex as usize]);
            if Triangle::new(a, b, c).is_ok() {
                let number = soup.triangles.len() as u32;
                soup.numbers.extend((number % 7 != 3).then_some(number));
                soup.triangles.push(corners);
            }
        }
        soup
    }

    fn tree(&self) -> TriangleBvh {
        TriangleBvh::build(&self.vertices, &self.triangles, &self.numbers)
    }

    fn corners(&self, number: u32) -> [Vec3; 3] {
        self.triangles[number as usize].map(|vertex| self.vertices[vertex as usize])
    }

    fn triangle(&self, number: u32) -> Triangle {
        let [a, b, c] = self.corners(number);
        Triangle::new(a, b, c).unwrap()
    }
}

/// How many triangles are hit by rays and by boxes on their way, and how many more are shown.
fn check_rays(tree: &TriangleBvh, soup: &Soup, random: &mut Random) -> [usize; 2] {
    let [mut met, mut shown] = [0, 0];
    for _ in 0..200 {
        let Some(ray) = random.ray() else { continue };
        let (limit, mut found, mut boxes, mut entered) = (150.0, vec![], vec![], 0);
        let (probe, path) = (Probe::ray(&ray, limit), ray.path(limit).unwrap());
        tree.cross(&probe, |number, corners| {
            assert_eq!(corners, soup.corners(number));
            found.push(number);
            Visit::Continue
        });
        tree.cast(&probe, |along| {
            let Along::Triangles(numbers, triangles) = along else { panic!("nothing was put off") };
            assert_eq!(numbers.len(), triangles.len());
            for (i, &number) in numbers.iter().enumerate() {
                assert_eq!(triangles.corners(i), soup.corners(number));
            }
            boxes.extend_from_slice(numbers);
            Ahead { limit, put_off: f32::INFINITY }
        });
        found.sort_unstable();
        boxes.sort_unstable();
        assert!(found.is_sorted_by(|a, b| a < b) && boxes.is_sorted_by(|a, b| a < b), "one twice");
        for &number in &soup.numbers {
            let is_crossed = path.crossing_of_triangle(soup.corners(number), Sides::Both).is_some();
            assert!(!is_crossed || found.binary_search(&number).is_ok(), "{ray:?} {number}");
            let is_entered = soup.triangle(number).aabb().is_crossed(&path);
            assert!(!is_entered || boxes.binary_search(&number).is_ok(), "{ray:?} {number}");
            (met, entered) = (met + usize::from(is_crossed), entered + usize::from(is_entered));
        }
        assert!(boxes.len() <= entered + entered / 20 + 2, "{ray:?}: {entered} boxes are met of {}", boxes.len());
        shown += found.len();
    }
    [met, shown]
}

/// The first crossing of a ray up to a limit, with all crossings deferred until nothing else begins before them, and
/// how many triangles were shown.
fn first_put_off(tree: &TriangleBvh, ray: &Ray, most: f32) -> (f32, usize) {
    let (path, mut put_off, mut limit, mut shown) = (ray.path(most).unwrap(), vec![], most, 0);
    let mut before = |put_off: &mut Vec<f32>, until: f32| {
        put_off.sort_by(|a: &f32, b| b.total_cmp(a));
        while put_off.last().is_some_and(|enter| *enter <= until) {
            limit = put_off.pop().map_or(limit, |enter| limit.min(enter));
        }
        Ahead { limit, put_off: put_off.last().copied().unwrap_or(f32::INFINITY) }
    };
    let mut ahead = f32::INFINITY;
    tree.cast(&Probe::ray(ray, most), |along| {
        let found = match along {
            Along::Triangles(_, triangles) => {
                shown += triangles.len();
                let corners = (0..triangles.len()).map(|i| triangles.corners(i));
                let crossings = corners.filter_map(|corners| path.crossing_of_triangle(corners, Sides::Both));
                put_off.extend(crossings.map(|crossing| crossing.enter as f32));
                before(&mut put_off, f32::NEG_INFINITY)
            }
            Along::NothingBefore(begin) => {
                assert!(begin > ahead, "what comes first is asked first");
                before(&mut put_off, begin)
            }
        };
        ahead = found.put_off;
        found
    });
    (before(&mut put_off, f32::INFINITY).limit, shown)
}

#[test]
fn what_is_put_off_has_its_turn_before_what_begins_later() {
    let mut random = Random(11);
    for (count, shared) in [(1, false), (17, false), (700, true), (5000, true)] {
        let soup = Soup::new(&mut random, count, shared);
        let tree = soup.tree();
        let (mut hits, mut all, mut put_off) = (0, 0, 0);
        for _ in 0..300 {
            let Some(ray) = random.ray() else { continue };
            let path = ray.path(150.0).unwrap();
            let crossings =
                soup.numbers.iter().filter_map(|&n| path.crossing_of_triangle(soup.corners(n), Sides::Both));
            let expected = crossings.fold(150f32, |first, crossing| first.min(crossing.enter as f32));
            let (first, shown) = first_put_off(&tree, &ray, 150.0);
            assert_eq!(first, expected, "{ray:?}");
            (hits, put_off) = (hits + usize::from(first < 150.0), put_off + shown);
            tree.cast(&Probe::ray(&ray, 150.0), |along| {
                all += if let Along::Triangles(numbers, _) = along { numbers.len() } else { 0 };
                Ahead { limit: 150.0, put_off: f32::INFINITY }
            });
        }
        assert!(count < 5000 || hits > 50 && put_off < all, "{hits} hits, {put_off} shown of {all}");
    }
}

#[test]
fn every_triangle_that_is_met_is_shown_and_few_others_are() {
    let mut random = Random(7);
    for (count, shared) in [(0, false), (1, false), (15, true), (17, false), (700, true), (3000, false), (5000, true)] {
        let mut soup = Soup::new(&mut random, count, shared);
        let mut tree = soup.tree();
        assert_eq!((tree.len(), tree.is_empty()), (soup.numbers.len(), soup.numbers.is_empty()));
        let numbers = tree.groups().leaves().map(|leaf| tree.numbers(leaf).len());
        assert_eq!(numbers.sum::<usize>(), soup.numbers.len());
        for round in 0..2 {
            for number in 0..count {
                let is_there = number % 7 != 3;
                assert_eq!(tree.vertices(number), is_there.then_some(soup.triangles[number as usize]));
                assert_eq!(tree.corners(number), is_there.then(|| soup.corners(number)));
            }
            assert_eq!(tree.vertices(count), None);
            let [met, shown] = check_rays(&tree, &soup, &mut random);
            assert!(shown <= met + met / 20 + 20, "{shown} shown, {met} met of {count}");
            assert!(round == 1 || count < 5000 || met > 50, "{met} met");
            // All moved elsewhere, by a motion that preserves areas.
            soup.vertices.iter_mut().for_each(|at| *at = Vec3::new(200.0 - at.y, at.z, at.x));
            tree.refit(&soup.vertices);
            let boxes = soup.numbers.iter().map(|&number| soup.triangle(number).aabb());
            assert_eq!(tree.bounds(), boxes.reduce(|a, b| a.union(&b)));
        }
    }
}

#[test]
fn every_box_that_overlaps_is_shown() {
    let mut random = Random(11);
    let soup = Soup::new(&mut random, 3000, true);
    let tree = soup.tree();
    for _ in 0..300 {
        let low = random.point(200);
        let around = Aabb::new(low, low + random.point(12)).unwrap();
        let mut found = vec![];
        tree.overlap_aabb(&around, |numbers, triangles| {
            (0..).zip(numbers).for_each(|(i, &number)| assert_eq!(triangles.corners(i), soup.corners(number)));
            found.extend_from_slice(numbers);
            Continue(())
        });
        found.sort_unstable();
        let overlaps = |number: &u32| soup.triangle(*number).aabb().overlaps(&around);
        assert_eq!(found, soup.numbers.iter().copied().filter(overlaps).collect::<Vec<_>>());
    }
}

#[test]
fn the_nearest_triangles_are_shown_and_few_others_whether_slivers_or_not() {
    let mut random = Random(17);
    let levels: Vec<_> = Instructions::EVERY.into_iter().filter_map(Instructions::level).collect();
    // Many are at the same distance; and the same ones flattened so much that only boxes give a bound.
    for (count, flat, most) in [(1, 1.0, 1), (40, 1.0, 3), (3000, 1.0, 3), (3000, 1.0 / 4096.0, 100)] {
        let mut soup = Soup::new(&mut random, count, true);
        soup.vertices.iter_mut().for_each(|vertex| vertex.x *= flat);
        let (mut tree, mut shown, mut ties) = (soup.tree(), 0, 0);
        for round in 0..400 {
            tree.tree.level = levels[round % levels.len()];
            let point = random.point(220) * Vec3::new(flat, 1.0, 1.0) - Vec3::splat(10.0);
            let distance = |number: u32| {
                let nearest = soup.triangle(number).closest_point(point);
                nearest.as_dvec3().distance(point.as_dvec3())
            };
            let least = soup.numbers.iter().map(|&number| distance(number)).fold(f64::INFINITY, f64::min);
            let error = f32::EPSILON * point.abs().element_sum();
            let measure = Measure { factor: 1.0, error, shortest: 0.0 };
            for limit in [f32::INFINITY, least as f32 + error] {
                let mut found = vec![];
                tree.nearest(point, limit, measure, |number, corners| {
                    assert_eq!(*corners, soup.corners(number));
                    found.push(number);
                    Visit::Within(distance(number) as f32 + error)
                });
                // Without vectors, only boxes decide.
                shown += if tree.tree.level.is_fallback() { 0 } else { found.len() };
                found.sort_unstable();
                assert!(found.is_sorted_by(|a, b| a < b), "one twice");
                let mut nearest = soup.numbers.clone();
                nearest.retain(|&number| distance(number) == least);
                assert!(nearest.iter().all(|number| found.contains(number)), "{point} {nearest:?} {found:?}");
                ties += usize::from(nearest.len() > 1);
            }
            tree.nearest(point, (0.9 * least) as f32 - error, measure, |number, _| {
                assert!(flat < 1.0 || tree.tree.level.is_fallback(), "{number} is shown, which is farther");
                Visit::Continue
            });
        }
        assert!(shown <= 800 * most, "{shown} shown");
        assert!(count < 40 || ties > 20, "{ties} ties");
    }
}

/// Sixteen triangles and a point: with small integers, many of them collinear or coplanar with the point, and others.
fn sixteen(random: &mut Random, case: usize) -> (Vec3, [[Vec3; 3]; LANES]) {
    let scale = [1.0, 1e-12, 0.01, 1e7, 1.0, 1e-6, 1e-3][case % 7];
    let far = if case.is_multiple_of(3) { Vec3::new(1000.0, -1000.0, 30.0) } else { Vec3::ZERO };
    let mut vector = |size: u32| far + scale * (random.point(size) - random.point(size));
    let (point, mut triangles) = (vector(6), [(); LANES].map(|()| [(); 3].map(|()| vector(4))));
    for (i, [a, b, c]) in triangles.iter_mut().enumerate() {
        match i % 8 {
            // Slivers, and points at a corner, above one, and in the plane.
            0 => *c = *a + (*b - *a) * 0.37,
            1 => *c = *b + (*c - *b) * 1e-3,
            2 => *a = point,
            3 => (a.x, a.y) = (point.x, point.y),
            4 => (a.z, b.z, c.z) = (point.z, point.z, point.z),
            _ => {}
        }
    }
    (point, triangles)
}

#[test]
fn every_distance_lies_between_its_bounds_and_most_are_nearly_known() {
    let mut random = Random(19);
    let levels: Vec<_> = Instructions::EVERY.into_iter().filter_map(Instructions::level).collect();
    let (mut narrow, mut count) = (0, 0);
    for case in 0..5000 {
        let (point, triangles) = sixteen(&mut random, case);
        let bounds_by = |level, limit| {
            vectorized!(level, simd => {
                let row = |corner: usize, axis: usize| load(simd, &triangles.map(|corners| corners[corner][axis]));
                let column = |corner| [row(corner, 0), row(corner, 1), row(corner, 2)];
                let bounds = SquareBounds::new(simd, &[column(0), column(1), column(2)], point, 0.0);
                let (low, high): ([f32; LANES], [f32; LANES]) = (bounds.low(simd).into(), bounds.high.into());
                (low.map(f32::to_bits), high.map(f32::to_bits), bounds.known, bounds.within(simd, limit))
            })
        };
        let (low, high, known, _) = bounds_by(levels[0], 1.0);
        for (lane, &[a, b, c]) in triangles.iter().enumerate().filter(|(lane, _)| known >> lane & 1 == 1) {
            let triangle = Triangle::new(a, b, c).expect("a sliver is not known");
            let distance = triangle.closest_point(point).as_dvec3().distance(point.as_dvec3());
            let returned = f64::from(point.abs().element_sum() * 0.5 * f32::EPSILON);
            let root = |bits: [u32; LANES]| f64::from(f32::from_bits(bits[lane]).max(0.0)).sqrt();
            let (least, most) = (root(low), root(high));
            assert!(
                least <= distance + returned && distance <= most + returned,
                "{least} {distance} {most} {triangle:?}"
            );
            narrow += usize::from(most - least <= 1e-3 * (most + f64::from((b - a).length())));
            count += 1;
            let limit = ((distance + returned) as f32).next_up().powi(2).next_up();
            for &level in &levels {
                let found = bounds_by(level, limit);
                assert_eq!((found.0, found.1, found.2), (low, high, known));
                assert!(found.3 >> lane & 1 == 1, "{triangle:?} {point}");
            }
        }
    }
    assert!(count > 40_000 && narrow * 10 > count * 9, "{narrow} of {count}");
}

#[test]
fn a_search_ends_where_the_visitor_wants() {
    let vertices: Vec<Vec3> =
        (0..300).flat_map(|i| [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[y, z]| Vec3::new(i as f32, y, z))).collect();
    let triangles: Vec<[u32; 3]> = (0..300).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let numbers: Vec<u32> = (0..300).collect();
    let tree = TriangleBvh::build(&vertices, &triangles, &numbers);
    let ray = Ray::new(Vec3::new(-1.0, 0.25, 0.25), Vec3::X).unwrap();
    for (answer, most) in [(Visit::Stop, 1), (Visit::Within(40.0), 64), (Visit::Continue, 300)] {
        let mut shown = 0;
        tree.cross(&Probe::ray(&ray, f32::INFINITY), |_, _| {
            shown += 1;
            answer
        });
        assert!((1..=most).contains(&shown) && (answer != Visit::Continue || shown == 300), "{shown} with {answer:?}");
    }
}

#[test]
fn corners_in_registers_are_those_in_memory_with_every_instruction_set() {
    let mut random = Random(5);
    for (count, shared) in [(16, true), (16, false), (300, true), (300, false)] {
        let soup = Soup::new(&mut random, count, shared);
        let groups = &soup.tree().groups;
        for (group, axes) in (0..groups.len()).flat_map(|group| [[0, 1, 2], [2, 0, 1]].map(|axes| (group, axes))) {
            let numbers = groups.numbers(group);
            assert_eq!(groups.lanes(group), (1 << numbers.len()) - 1);
            for instructions in Instructions::EVERY {
                let Some(level) = instructions.level() else { continue };
                let columns: [[[f32; LANES]; 3]; 3] = vectorized!(level, simd => {
                    let corners = groups.corners(simd, group, axes).columns;
                    corners.map(|corner| corner.map(|column| column.into()))
                });
                for (lane, &number) in numbers.iter().enumerate() {
                    let expected = soup.corners(number).map(|corner| axes.map(|axis| corner[axis]));
                    assert_eq!(columns.map(|corner| corner.map(|column| column[lane])), expected);
                    assert_eq!(groups.corners_of(group, lane), soup.corners(number));
                    assert_eq!(groups.vertices_of(group, lane), soup.triangles[number as usize]);
                }
            }
        }
    }
}

#[test]
fn a_packet_is_shown_what_its_rays_cross_whether_few_or_many_enter_a_group() {
    let mut random = Random(13);
    let soup = Soup::new(&mut random, 4000, true);
    let (mut tree, limit) = (soup.tree(), 300.0);
    let levels: Vec<_> = Instructions::EVERY.into_iter().filter_map(Instructions::level).collect();
    let (mut crossed, mut bits) = (0, 0);
    // Equally often for each, however many this processor supports.
    for round in 0..120 * levels.len() {
        tree.tree.level = levels[round / 4 % levels.len()];
        let has_vectors = !tree.tree.level.is_fallback();
        // From close together to all over an octant.
        let spread = [2, 10, 60, 200][round % 4];
        let (start, aim) = (random.point(60), random.point(200 - spread / 2) + Vec3::splat(61.0));
        let count = 1 + random.below(16);
        let ray = |_| Ray::new(start, aim + random.point(spread) - start).unwrap();
        let rays: Vec<Ray> = (0..count).map(ray).collect();
        let Some(packet) = Packet::of_rays(&rays) else { continue };
        let mut met = vec![0; soup.triangles.len()];
        tree.cast_packet(&packet, &mut [limit; Packet::MAX], |numbers, corners, masks, _| {
            assert_eq!((numbers.len(), numbers.len()), (corners.len(), masks.len()));
            for ((&number, &corners), &mask) in numbers.iter().zip(corners).zip(masks) {
                assert_eq!((corners, met[number as usize]), (soup.corners(number), 0));
                met[number as usize] = mask;
            }
        });
        for (lane, ray) in rays.iter().enumerate() {
            let path = ray.path(limit).unwrap();
            for &number in &soup.numbers {
                let is_crossed = path.crossing_of_triangle(soup.corners(number), Sides::Both).is_some();
                assert!(!is_crossed || met[number as usize] >> lane & 1 == 1, "{ray:?} {number}");
                crossed += usize::from(is_crossed && has_vectors);
            }
        }
        // Without vectors, only boxes decide.
        bits += met.iter().filter(|_| has_vectors).map(|met| met.count_ones() as usize).sum::<usize>();
    }
    assert!(crossed > 1000 && bits < 10 * crossed, "{crossed} crossings, {bits} shown");
}
