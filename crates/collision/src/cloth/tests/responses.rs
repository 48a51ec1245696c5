//! Responses: gradients against finite differences, momentum, symmetry, and the choices that a method leaves open.

use glam::{DVec3, Vec3};

use super::super::response::{
    Buffet, Displacement, Icm, Kikuchi, Off, Response, Tangle, Ye, gradient, separation,
};
use super::super::{Contours, Hit, Kind, canonical};
use super::shapes::Cloth;

fn pose(kind: Kind) -> Cloth {
    let c = canonical().into_iter().find(|c| c.kind == kind).unwrap();
    Cloth::new(c.rest, c.pose, &c.triangles)
}

fn all(cloth: &Cloth) -> [Box<dyn Response>; 5] {
    [
        Box::new(Off),
        Box::new(Icm::new()),
        Box::new(Kikuchi::new(&cloth.mesh, &cloth.rest)),
        Box::new(Ye::new()),
        Box::new(Buffet::new(&cloth.mesh, &cloth.x)),
    ]
}

fn respond(cloth: &Cloth, inv_mass: &[f32], response: &mut dyn Response) -> Displacement {
    let (hits, contours) = cloth.contours();
    let tangle = Tangle {
        mesh: &cloth.mesh,
        x: &cloth.x,
        inv_mass,
        hits: &hits,
        contours: &contours,
        step: 0.05,
        thickness: 0.01,
        frame: 1,
    };
    let mut out = Displacement::default();
    out.clear(cloth.x.len());
    response.displace(&tangle, &mut out);
    out
}

/// Derivative of the contour length by the position of each vertex, from the parts of the gradient of edge and triangle.
fn length_gradient(cloth: &Cloth, hits: &[Hit]) -> Vec<DVec3> {
    let mut sum = vec![DVec3::ZERO; cloth.x.len()];
    for h in hits {
        let edge = gradient(&cloth.mesh, &cloth.x, h, 1.0);
        let triangle = gradient(&cloth.mesh, &cloth.x, h, 0.0) - edge;
        let [p, q] = cloth.mesh.edges[h.edge as usize].vertices;
        sum[p as usize] -= edge * (1.0 - h.along);
        sum[q as usize] -= edge * h.along;
        for (v, w) in cloth.mesh.triangles[h.triangle as usize].iter().zip(h.weights) {
            sum[*v as usize] -= triangle * w;
        }
    }
    sum
}

#[test]
fn the_gradient_of_icm_is_that_of_the_contour_length() {
    for kind in [Kind::Closed, Kind::Bbii, Kind::Bibi] {
        let cloth = pose(kind);
        let (hits, _) = cloth.contours();
        let wanted = length_gradient(&cloth, &hits);
        let scale = wanted.iter().map(|g| g.length()).fold(0.0, f64::max);
        let touched = (0..cloth.x.len()).filter(|&v| wanted[v] != DVec3::ZERO).step_by(3);
        let (mut checked, mut worst) = (0, 0.0f64);
        for v in touched {
            for axis in 0..3 {
                let length = |by: f32| {
                    let mut moved = Cloth::new(cloth.rest.clone(), cloth.x.clone(), &cloth.mesh.triangles);
                    moved.x[v][axis] += by;
                    let (now, contours): (Vec<Hit>, Contours) = moved.contours();
                    let same =
                        now.iter().zip(&hits).all(|(a, b)| (a.edge, a.triangle) == (b.edge, b.triangle));
                    (now.len() == hits.len() && same, contours.length(), f64::from(moved.x[v][axis]))
                };
                let (a, b) = (length(1e-4), length(-1e-4));
                // Only where the contour crosses the same edges on both sides of the difference.
                if a.0 && b.0 {
                    let found = (a.1 - b.1) / (a.2 - b.2);
                    worst = worst.max((found - wanted[v][axis]).abs());
                    checked += 1;
                }
            }
        }
        assert!(checked > 20, "{}: {checked}", kind.name());
        assert!(worst < 0.02 * scale, "{}: {worst} of {scale}", kind.name());
    }
}

#[test]
fn the_gradient_does_not_depend_on_the_direction_of_edge_and_normal() {
    let cloth = pose(Kind::Closed);
    let n = cloth.x.len() as u32;
    // Numbered backwards, every edge runs the other way; turned over, every normal.
    let renumbered: Vec<[u32; 3]> =
        cloth.mesh.triangles.iter().map(|t| [n - 1 - t[0], n - 1 - t[2], n - 1 - t[1]]).collect();
    let reversed = |points: &[Vec3]| points.iter().rev().copied().collect::<Vec<_>>();
    let other = Cloth::new(reversed(&cloth.rest), reversed(&cloth.x), &renumbered);
    let gradients = |cloth: &Cloth| -> Vec<(DVec3, DVec3)> {
        let one = |h: &Hit| (h.point(&cloth.mesh, &cloth.x), gradient(&cloth.mesh, &cloth.x, h, 2.0));
        cloth.hits().iter().map(one).collect()
    };
    let (a, b) = (gradients(&cloth), gradients(&other));
    assert_eq!(a.len(), b.len());
    for (p, g) in &a {
        let (q, h) = b.iter().min_by(|s, t| s.0.distance(*p).total_cmp(&t.0.distance(*p))).unwrap();
        assert!(p.distance(*q) < 1e-9 && g.distance(*h) < 1e-6 * (1.0 + g.length()), "{p} {g}, {q} {h}");
    }
}

#[test]
fn a_step_of_icm_shortens_a_loop() {
    let mut cloth = pose(Kind::Closed);
    let before = cloth.contours().1.length();
    let out = respond(&cloth, &vec![1.0; cloth.x.len()], &mut Icm::new());
    assert!(out.largest() > 0.01 && out.largest() < 0.1);
    cloth.x.iter_mut().zip(out.by()).for_each(|(x, by)| *x += 0.3 * *by);
    assert!(cloth.contours().1.length() < 0.95 * before);
}

#[test]
fn no_response_moves_the_centre_of_mass() {
    for c in canonical() {
        let cloth = Cloth::new(c.rest, c.pose, &c.triangles);
        let inv_mass: Vec<f32> = (0..cloth.x.len()).map(|i| 0.5 + (i * 37 % 11) as f32).collect();
        for mut response in all(&cloth) {
            let out = respond(&cloth, &inv_mass, response.as_mut());
            let (mut sum, mut size) = (DVec3::ZERO, 0.0);
            for (by, w) in out.by().iter().zip(&inv_mass) {
                sum += by.as_dvec3() / f64::from(*w);
                size += f64::from(by.length() / w);
            }
            assert!(sum.length() <= 2e-5 * size, "{} on {}: {sum} of {size}", response.name(), c.kind.name());
            assert!(out.by().iter().all(|b| b.is_finite()));
            assert!(out.largest() <= 0.5, "{} on {}: {}", response.name(), c.kind.name(), out.largest());
        }
    }
}

#[test]
fn what_is_held_stays() {
    let cloth = pose(Kind::Bibi);
    let inv_mass: Vec<f32> = (0..cloth.x.len()).map(|i| if i % 3 == 0 { 0.0 } else { 1.0 }).collect();
    for mut response in all(&cloth) {
        let out = respond(&cloth, &inv_mass, response.as_mut());
        assert!((0..cloth.x.len()).step_by(3).all(|i| out.by()[i] == Vec3::ZERO), "{}", response.name());
    }
}

#[test]
fn c17_equal_depths_are_a_hit_on_a_fixed_side() {
    let p = DVec3::new;
    let a = [p(-1.0, 0.0, -1.0), p(1.0, 0.0, -1.0), p(0.0, 0.0, 1.0)];
    let b = [p(-1.0, -1.0, 0.0), p(1.0, -1.0, 0.0), p(0.0, 1.0, 0.0)];
    for sides in [[1, 1], [1, -1], [-1, 1], [-1, -1]] {
        let (n, depth) = separation(a, b, sides).expect("they cross");
        assert_eq!(depth, 1.0);
        // By the fixed rule against the second triangle, whose normal is z.
        assert_eq!(n, DVec3::Z * f64::from(sides[0]));
        assert_eq!(separation(a, b, sides), Some((n, depth)));
    }
    // Moved apart along it they only touch.
    let (n, depth) = separation(a, b, [1, 1]).unwrap();
    assert!(separation(a.map(|q| q + n * (depth + 1e-9)), b, [1, 1]).is_none());
}

#[test]
fn c17_a_pair_is_moved_apart_with_its_momentum() {
    let x = [[-1., 0., -1.], [1., 0., -1.], [0., 0., 1.], [-1., -1., 0.], [1., -1., 0.], [0., 1., 0.]];
    let x: Vec<Vec3> = x.map(Vec3::from_array).to_vec();
    let cloth = Cloth::new(x.clone(), x.clone(), &[[0, 1, 2], [3, 4, 5]]);
    let inv_mass = [1.0, 1.0, 1.0, 0.5, 0.5, 0.5];
    let out = respond(&cloth, &inv_mass, &mut Kikuchi::new(&cloth.mesh, &x));
    let (a, b) = (out.by()[0], out.by()[3]);
    assert!((a - b).length() > 0.049, "moved by the whole step: {a} {b}");
    assert!((a + 2.0 * b).length() < 1e-6, "{a} {b}");
}

/// A cut that does not separate, and parts of equal size, still move a part, the same one every time.
#[test]
fn ye_decides_where_the_cut_does_not() {
    for kind in [Kind::Bibi, Kind::Bbii] {
        let cloth = pose(kind);
        let inv_mass = vec![1.0; cloth.x.len()];
        let out = respond(&cloth, &inv_mass, &mut Ye::new());
        assert!(out.largest() > 0.01, "{}", kind.name());
        let again = respond(&cloth, &inv_mass, &mut Ye::new());
        assert_eq!(out.by(), again.by());
    }
}

#[test]
fn buffet_orders_two_sheets_and_leaves_one_alone() {
    let single = pose(Kind::Ll);
    let ones = vec![1.0; single.x.len()];
    let out = respond(&single, &ones, &mut Buffet::new(&single.mesh, &single.x));
    assert_eq!(out.largest(), 0.0);

    // A bump through a flat sheet: where it has come through, it goes back, and the sheet makes way.
    let two = pose(Kind::Closed);
    let ones = vec![1.0; two.x.len()];
    let out = respond(
        &two,
        &ones,
        &mut Buffet::new(
            &two.mesh,
            &two.rest
                .clone()
                .iter()
                .enumerate()
                .map(|(i, p)| if two.mesh.sheet[i] == 0 { *p } else { *p - 0.1 * Vec3::Z })
                .collect::<Vec<_>>(),
        ),
    );
    let top = (0..two.x.len())
        .filter(|&i| two.mesh.sheet[i] == 1)
        .max_by(|&a, &b| two.x[a].z.total_cmp(&two.x[b].z));
    assert!(out.by()[top.unwrap()].z < -0.01, "{}", out.by()[top.unwrap()]);
}

/// A strip that stands in a sheet, nearer to its lower end or to its upper one: its contour is straight, and what is shorter goes back.
#[test]
fn the_shorter_end_of_a_strip_goes_back_through_a_straight_contour() {
    for (height, up) in [(0.37, 1.0), (-0.37, -1.0)] {
        let sheet = Cloth::grid(24, 24, |p| p);
        let strip = Cloth::grid(14, 12, |p| Vec3::new(p.x + 0.013, 0.017, p.y + height));
        let cloth = sheet.and(&strip);
        let n = sheet.x.len();
        let out = respond(&cloth, &vec![1.0; cloth.x.len()], &mut Icm::new());
        let strip = || (n..cloth.x.len()).map(|v| (cloth.x[v].z * up as f32, out.by()[v] * up as f32));
        // All of the end that is through, as one; of the other end less and less.
        let (mut through, mut near) = (0, 0);
        for (z, by) in strip() {
            if z < 0.0 {
                assert!(by.z > 0.02, "{z}: {by}");
                through += 1;
            } else if by.z > 0.001 {
                near += 1;
            }
        }
        assert!(through == 15 * 3 && near > 0, "{through} {near}");
        let farthest = strip().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap().1;
        assert!(farthest.length() < 1e-3, "{farthest}");
    }
}
