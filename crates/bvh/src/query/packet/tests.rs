use super::*;
use crate::{ALL, Bvh, Instructions, Visit};
use cullide_narrowphase::{Aabb, glam::Vec3};

struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 16
    }

    /// With small integer coordinates, so that many rays pass through edges and start on faces.
    fn point(&mut self, size: u32) -> Vec3 {
        Vec3::from([(); 3].map(|()| (self.next() % size) as f32))
    }
}

/// Probes of rays, or of moving boxes, in similar directions.
fn probes(random: &mut Random) -> Vec<Probe> {
    let (from, to) = (random.point(30), random.point(30));
    let count = 1 + random.next() as usize % Packet::MAX;
    let is_box = random.next().is_multiple_of(3);
    let aims = (0..count).map(|_| to + random.point(40) * 0.1 - from);
    let probe = |delta: Vec3| match Ray::new(from, delta) {
        Ok(ray) if !is_box => Probe::ray(&ray, 40.0),
        _ => Probe::swept(&Aabb::new(from, from + Vec3::new(0.2, 0.3, 0.5)).unwrap(), delta),
    };
    aims.map(probe).collect()
}

#[test]
fn each_probe_of_a_packet_is_shown_what_it_is_shown_alone() {
    let mut random = Random(5);
    let (mut shown, mut packets) = (0, 0);
    for count in [1, 15, 17, 300, 2000] {
        let boxes = (0..count).map(|_| {
            let (low, size) = (random.point(30), random.point(4));
            (Aabb::new(low, low + size).unwrap(), 1 + random.next() % 3)
        });
        let mut tree = Bvh::build_with(boxes.collect::<Vec<_>>(), &crate::BuildOptions::default());
        for round in 0..400 {
            let probes = probes(&mut random);
            let Some(packet) = Packet::new(&probes) else { continue };
            packets += 1;
            let mask = [ALL, 0b1][round % 2];
            let reach: Vec<f32> = probes.iter().map(|probe| probe.max * [1.0, 0.3][round / 2 % 2]).collect();
            let alone: Vec<Vec<_>> = probes
                .iter()
                .zip(&reach)
                .map(|(probe, &reach)| {
                    let mut leaves = vec![];
                    tree.cast(&probe.within(reach), mask, |leaf, entry| {
                        leaves.push((leaf.index(), entry.to_bits()));
                        Visit::Continue
                    });
                    leaves.sort_unstable();
                    leaves
                })
                .collect();
            for instructions in Instructions::EVERY {
                let Some(level) = instructions.level() else { continue };
                tree.level = level;
                let mut together = vec![vec![]; probes.len()];
                let mut limits = [f32::INFINITY; Packet::MAX];
                limits[..reach.len()].copy_from_slice(&reach);
                tree.cast_packet(&packet, mask, &mut limits, |leaf, met, entries, _| {
                    for (lane, leaves) in together.iter_mut().enumerate().filter(|(lane, _)| met >> lane & 1 == 1) {
                        leaves.push((leaf.index(), entries[lane].abs().to_bits()));
                    }
                    assert_eq!(met >> reach.len(), 0);
                });
                together.iter_mut().for_each(|leaves| leaves.sort_unstable());
                assert_eq!(together, alone, "{instructions:?} {probes:?}");
            }
            shown += alone.iter().map(Vec::len).sum::<usize>();
        }
    }
    assert!(packets > 300 && shown > 3000, "{packets} packets were shown {shown}");
}

#[test]
fn rays_make_the_packet_that_their_probes_make() {
    let mut random = Random(9);
    let mut packets = 0;
    for round in 0..2000 {
        let (from, to) = (random.point(30), random.point(30));
        let count = 1 + round % Packet::MAX;
        let rays: Vec<Ray> = (0..count)
            .filter_map(|_| Ray::new(from + random.point(2), to - from + random.point(40) * 0.1).ok())
            .collect();
        let probes: Vec<Probe> = rays.iter().map(|ray| Probe::ray(ray, 1.0)).collect();
        let [one, other] = [Packet::of_rays(&rays), Packet::new(&probes)].map(|packet| format!("{packet:?}"));
        assert_eq!(one, other, "{rays:?}");
        packets += usize::from(one != "None");
    }
    assert!(packets > 200, "{packets}");
}

#[test]
fn lowered_limits_end_the_search_of_each_probe() {
    let boxes: Vec<_> = (0..500).map(|i| Vec3::X * i as f32).map(|at| Aabb::new(at, at + Vec3::ONE).unwrap()).collect();
    let tree = Bvh::build(&boxes);
    let aims = [Vec3::new(400.0, 0.1, 0.1), Vec3::new(400.0, 0.9, 0.1)];
    let probes = aims.map(|aim| Probe::ray(&Ray::new(Vec3::splat(0.05), aim).unwrap(), f32::INFINITY));
    let (mut visits, mut limits) = ([0; 2], [f32::INFINITY; Packet::MAX]);
    tree.cast_packet(&Packet::new(&probes).unwrap(), ALL, &mut limits, |_, met, entries, limits| {
        for lane in (0..2).filter(|lane| met >> lane & 1 == 1) {
            visits[lane] += 1;
            limits[lane] = if lane == 0 { -1.0 } else { limits[lane].min(entries[lane]) };
        }
    });
    assert_eq!((visits[0], limits[0]), (1, -1.0));
    assert!((1..=17).contains(&visits[1]) && limits[1] < 1.0, "{visits:?} {limits:?}");
}

#[test]
fn probes_that_go_no_common_way_make_no_packet() {
    let along = |delta: Vec3| Probe::swept(&Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap(), delta);
    let one = along(Vec3::ONE);
    assert!(Packet::new(&[one; Packet::MAX]).is_some());
    assert!(Packet::new(&[]).is_none() && Packet::new(&[one; Packet::MAX + 1]).is_none());
    let others = [Vec3::ZERO, Vec3::X, Vec3::NAN, Vec3::INFINITY, -Vec3::ONE, Vec3::new(1.0, -1.0, 1.0)];
    for other in others.into_iter().chain([Vec3::new(1.0, 1.0, 1e38), Vec3::new(1.0, 1e-40, 1.0)]) {
        assert!(Packet::new(&[one, along(other)]).is_none(), "{other}");
    }
}
