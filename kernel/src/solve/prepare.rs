//! From checked input to rows: everything that sweeps reuse, computed once.
use crate::local::block::Block;
use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::ContactRows;
use crate::problem::contacts::Contacts;
use crate::problem::error::{ErrorKind, InputError};
use crate::solve::moments::prepare_surfaces;
use crate::solve::partition::Islands;
use crate::space::jacobian::ContactJacobian;
use crate::sweep::rows::Rows;

/// Every contact names two bodies that exist, of which at least one can move.
pub(crate) fn validate_pairs<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    bodies: &Bodies<T, NB>,
    contacts: &Contacts<T, NC, R>,
) -> Result<(), InputError<T>> {
    for index in 0..contacts.len() {
        let Some((a, b)) = contacts.pair(index) else { break };
        let inverse_mass = |field, body| {
            let missing = ErrorKind::NoSuchBody { index: body, bodies: bodies.len() };
            bodies.mass_properties(body).map(|(m, _)| m).ok_or(InputError::contact(index, field, missing))
        };
        if !(inverse_mass("a", a)? + inverse_mass("b", b)? > T::ZERO) {
            return Err(InputError::contact(index, "", ErrorKind::NothingMoves));
        }
    }
    Ok(())
}

/// Fills jacobians and rows for contacts whose pairs were checked.
#[cfg_attr(target_os = "none", inline(never))]
pub(crate) fn prepare<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    bodies: &Bodies<T, NB>,
    contacts: &Contacts<T, NC, R>,
    islands: &Islands<NB, NC>,
    jacobians: &mut [ContactJacobian<T, R>; NC],
    rows: &mut Rows<T, NC, R>,
) {
    rows.reset(contacts.places());
    for (index, slot) in jacobians.iter_mut().enumerate().take(contacts.places()) {
        let contact = islands.contact_of(index);
        let Some(site) = contacts.site(contact) else { break };
        let (a, b) = (usize::from(site.pair.0), usize::from(site.pair.1));
        let (Some(a), Some(b)) = (bodies.mass_properties(a), bodies.mass_properties(b)) else { continue };
        let (k, is_replaced) = slot.pack(&site, a, b);
        let (block, impulse_scale) = Block::new(&k);
        slot.set_impulse_scale(impulse_scale);
        rows.set(index, block, impulse_scale, contacts.friction(contact), &slot.frame());
        rows.note_replaced(index, is_replaced);
    }
    if R::HAS_MOMENTS {
        prepare_surfaces(bodies, contacts, islands, jacobians, rows);
    }
}
