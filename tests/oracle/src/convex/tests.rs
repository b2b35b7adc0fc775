//! Independent computations of the same answers, on pairs aimed at each other. The distance of features knows nothing of
//! the difference of the shapes: it is 0 where they touch, and neither where they are apart nor, but by chance, where
//! they overlap. The sampled distance tells those two apart.

use cullide_scenes::Rng;
use cullide_scenes::convex::{ConvexPair, Family, Integers, Way, convex_pair, convex_pair_of};

use super::distance::of_features;
use super::*;

fn fraction(numerator: i64, denominator: i64) -> Ratio {
    Ratio::new(numerator.into(), denominator.into())
}

/// The mean of two quotients, the first with a weight of `2^bits − 1` to 1.
fn between(a: &Ratio, b: &Ratio, bits: i64) -> Ratio {
    let most = Exact::ONE.scaled(bits) - Exact::ONE;
    let numerator = a.numerator() * b.denominator() * most + b.numerator() * a.denominator();
    Ratio::new(numerator, (a.denominator() * b.denominator()).scaled(bits))
}

/// The shapes at a time, both larger by its denominator.
fn placed(a: &[Integers], b: &[Integers], motion: Integers, time: &Ratio) -> [Convex; 2] {
    let way = vector(motion).times(time.numerator());
    let large = |&point: &Integers| vector(point).times(time.denominator());
    let moved = a.iter().map(|point| large(point).plus(&way)).collect();
    [Convex::of(moved), Convex::of(b.iter().map(large).collect())]
}

/// Whether the shapes touch at a time, without overlapping.
fn touch_at(pair: &ConvexPair, time: &Ratio) -> bool {
    let [a, b] = placed(&pair.a, &pair.b, pair.motion, time);
    of_features(&a, &b).sign().is_eq()
}

/// Pairs of each family; few of those whose shapes have many edges.
fn pairs(seed: u64, count: usize) -> Vec<ConvexPair> {
    let rng = &mut Rng::with_seed(seed);
    let many = |family: Family| if family == Family::Prisms { count.div_ceil(20) } else { count };
    let families = Family::ALL.into_iter().flat_map(|family| (0..many(family)).map(move |_| family));
    families.map(|family| convex_pair_of(family, rng)).collect()
}

#[test]
fn pairs_built_to_touch_touch_at_that_time() {
    let (mut touched, mut hits, mut starts) = (0, 0, 0);
    for pair in pairs(1, 100) {
        let difference = difference(&pair.a, &pair.b);
        let verdict = difference.sweep(pair.motion);
        let Some([begin, end]) = pair.touch else {
            assert!(pair.way != Way::Along || verdict == SweepVerdict::Clear, "{verdict:?} {pair:?}");
            continue;
        };
        touched += 1;
        let time = fraction(begin, end);
        let contact = difference.contact(pair.motion).expect("they touch");
        assert_eq!(contact[0], time, "{pair:?}");
        let may_hit = matches!(pair.way, Way::Toward | Way::FromStart);
        if may_hit && verdict == SweepVerdict::Hit(time) {
            hits += 1;
            starts += usize::from(begin == 0);
        } else {
            assert_eq!(verdict, SweepVerdict::Clear, "{pair:?}");
        }
    }
    assert!(touched > 600 && hits > 200 && starts > 60, "{touched} touched, {hits} hit, {starts} of them at 0");
}

#[test]
fn until_a_hit_they_are_apart_and_after_it_a_smaller_solid_meets_as_well() {
    let (mut hits, mut entered) = (0, 0);
    for pair in pairs(2, 30) {
        let SweepVerdict::Hit(time) = sweep(&pair.a, &pair.b, pair.motion) else { continue };
        hits += 1;
        assert!(touch_at(&pair, &time), "{pair:?}");
        let zero = fraction(0, 1);
        for bits in [0, 1, 30] {
            // At 0, halfway, and just earlier.
            let earlier = between(&time, &zero, bits);
            assert!(time == zero || !touch_at(&pair, &earlier), "{pair:?}");
        }
        let difference = difference(&pair.a, &pair.b);
        let [enter, exit] = difference.contact(pair.motion).expect("a hit");
        // A motion leaves a polygon where it crosses it.
        let flat = difference.slabs.iter().any(|slab| slab.low == slab.high);
        assert_eq!(flat, enter == exit, "{pair:?}");
        entered += usize::from(smaller_gap(&pair, &between(&enter, &exit, 1)) < 1e-13);
    }
    assert!(hits > 55 && entered > 40, "{hits} hits, {entered} deep enough");
}

/// The distance from above, at a time, of the second shape and the first drawn towards its centre by a thousandth,
/// relative to the largest coordinate.
fn smaller_gap(pair: &ConvexPair, time: &Ratio) -> f64 {
    let center = [0, 1, 2].map(|i| pair.a.iter().map(|p| p[i] as f64).sum::<f64>() / pair.a.len() as f64);
    let drawn = |point: &Integers| [0, 1, 2].map(|i| center[i] + 0.999 * (point[i] as f64 - center[i]));
    let smaller: Vec<[f64; 3]> = pair.a.iter().map(drawn).collect();
    let [a, b] = [ShapeSampler::hull(&smaller), ShapeSampler::hull(&ConvexPair::as_f32(&pair.b))];
    let time = time.to_f64();
    let pose = Pose::new([0.0; 3], pair.motion.map(|x| x as f64 * time));
    distance_between(&a, &pose, &b).upper / largest(pair)
}

fn largest(pair: &ConvexPair) -> f64 {
    pair.a.iter().chain(&pair.b).flatten().map(|x| x.abs()).max().expect("points") as f64
}

#[test]
fn what_passes_clear_does_not_touch_a_slightly_smaller_solid() {
    let (mut clear, mut grazing) = (0, 0);
    for pair in pairs(3, 40) {
        let solid = Convex::new(&pair.a).face_count() > 3;
        if !solid || sweep(&pair.a, &pair.b, pair.motion) != SweepVerdict::Clear {
            continue;
        }
        clear += 1;
        let times = match difference(&pair.a, &pair.b).contact(pair.motion) {
            Some([enter, exit]) => {
                grazing += 1;
                vec![between(&enter, &exit, 1), enter, exit]
            }
            None => (0..4).map(|i| fraction(i, 3)).collect(),
        };
        for time in times {
            assert!(smaller_gap(&pair, &time) > 1e-11, "{time:?} {pair:?}");
        }
    }
    assert!(clear > 100 && grazing > 60, "{clear} clear, {grazing} of them grazing");
}

#[test]
fn the_depth_is_the_shortest_way_out_and_ends_at_the_surface() {
    let rng = &mut Rng::with_seed(4);
    let (mut deep, mut touching) = (0, 0);
    for pair in pairs(4, 20) {
        let difference = difference(&pair.a, &pair.b);
        let Some(Depth { squared, directions }) = difference.depth() else {
            assert!(!difference.overlaps());
            continue;
        };
        assert_eq!(difference.interiors_overlap(), squared.sign().is_gt());
        if squared.sign().is_eq() {
            touching += 1;
            continue;
        }
        deep += 1;
        // The time at which a motion leaves the difference; its way out, squared.
        let exit = |way: &Vector| {
            let slabs = difference.slabs.iter().map(|slab| {
                let speed = slab.axis.dot(way);
                let end = if speed.is_negative() { &slab.low } else { &slab.high };
                (!speed.is_zero()).then(|| Ratio::new(end.clone(), speed))
            });
            slabs.flatten().min().expect("bounded")
        };
        let length = |way: &Vector, time: &Ratio| {
            let square = time.numerator() * time.numerator() * way.length_squared();
            Ratio::new(square, time.denominator() * time.denominator())
        };
        let random = (0..8).map(|_| vector([(); 3].map(|()| rng.i64(-99..=99)))).filter(|way| !way.is_zero());
        for way in random.chain(directions.iter().cloned()) {
            let time = exit(&way);
            let shortest = directions.contains(&way);
            assert!(if shortest { length(&way, &time) == squared } else { length(&way, &time) >= squared }, "{pair:?}");
            let at = |time: &Ratio| {
                let shift = way.times(time.numerator());
                let large = |&point: &Integers| vector(point).times(time.denominator());
                let a = Convex::of(pair.a.iter().map(|point| large(point).plus(&shift)).collect());
                of_features(&a, &Convex::of(pair.b.iter().map(large).collect())).sign()
            };
            let beyond =
                Ratio::new(time.numerator() * Exact::from(1_000_001), time.denominator() * Exact::from(1_000_000));
            assert!(at(&time).is_eq() && at(&beyond).is_gt(), "{pair:?}");
        }
    }
    assert!(deep > 15 && touching > 30, "{deep} deep, {touching} touching");
}

#[test]
fn distances_agree_with_sampled_ones() {
    let mut apart = 0;
    for pair in pairs(5, 25) {
        let [a, b] = [&pair.a, &pair.b].map(|points| ShapeSampler::hull(&ConvexPair::as_f32(points)));
        let Bounds { lower, upper } = distance_between(&a, &Pose::still(), &b);
        let exact = distance_squared(&pair.a, &pair.b).to_f64().sqrt();
        let largest = largest(&pair);
        let doubt = 1e-13 * largest;
        assert!(lower <= exact + doubt && (upper - exact).abs() <= doubt, "{lower} {exact} {upper} {pair:?}");
        // A plane across a way that is uncertain by the doubt.
        let turn = doubt / upper.max(doubt);
        assert!(upper - lower <= doubt + turn * largest, "{lower} {exact} {upper} {pair:?}");
        apart += usize::from(exact > 0.0);
        let [less, more] = [(exact * (1.0 - 1e-12)).floor(), exact.floor() + 1.0];
        assert!(!is_closer_than(&pair.a, &pair.b, less) && is_closer_than(&pair.a, &pair.b, more), "{pair:?}");
    }
    assert!(apart > 80, "{apart}");
}

#[test]
fn distances_agree_with_those_from_the_planes_of_the_difference() {
    let rng = &mut Rng::with_seed(6);
    let mut apart = 0;
    for _ in 0..40 {
        let mut points = |count| (0..count).map(|_| [(); 3].map(|()| rng.i64(-6..=6))).collect::<Vec<_>>();
        let (a, b) = (points(3), points(2));
        let planes = difference(&a, &b).slabs.into_iter().flat_map(|slab| {
            let axis = slab.axis.0.map(|x| x.to_f64());
            let [low, high] = [slab.low, slab.high].map(|x| x.to_f64());
            [[axis[0], axis[1], axis[2], high], [-axis[0], -axis[1], -axis[2], -low]]
        });
        let expected = crate::solid_distance_squared(&planes.collect::<Vec<_>>(), [0.0; 3]);
        let distance = distance_squared(&a, &b);
        apart += usize::from(distance.sign().is_gt());
        assert_eq!(Some(distance), expected, "{a:?} {b:?}");
    }
    assert!(apart > 20, "{apart}");
}

#[test]
fn sampled_motions_touch_when_exact_ones_do_and_not_before() {
    const EPS: f64 = 1e-3;
    let rng = &mut Rng::with_seed(7);
    let (mut hits, mut found) = (0, 0);
    for _ in 0..150 {
        let pair = convex_pair(rng);
        let [a, b] = [&pair.a, &pair.b].map(|points| ShapeSampler::hull(&ConvexPair::as_f32(points)));
        let pose = |time: f64| Pose::new([0.0; 3], pair.motion.map(|x| x as f64 * time));
        let sampled = first_touch_by_sampling(&a, &b, pose, 16, EPS);
        if let SweepVerdict::Hit(time) = sweep(&pair.a, &pair.b, pair.motion) {
            hits += 1;
            found += usize::from(sampled.is_some());
            assert!(sampled.is_none_or(|sampled| sampled <= time.to_f64() + 1e-9), "{sampled:?} {time:?} {pair:?}");
        }
        if let Some(time) = sampled {
            let [a, b] = placed(&pair.a, &pair.b, pair.motion, &Exact::new(time).into());
            let scale = Ratio::from(Exact::new(time)).denominator().to_f64();
            assert!(a.distance_squared(&b).to_f64().sqrt() <= 1.001 * EPS * scale, "{time} {pair:?}");
        }
    }
    assert!(hits > 30 && 2 * found > hits, "{found} of {hits} hits");
}
