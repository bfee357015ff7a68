import type { Reservation } from "./ports.ts";

type Delegable = Pick<Reservation, "protocol" | "pattern" | "isPrefix" | "delegatedFrom"> & {
  readonly owner: Pick<Reservation["owner"], "id">;
};

/** Whether one of the reservations covers a new one, and belongs to the owner who passes it on. */
export function mayDelegate(reservations: readonly Delegable[], delegated: Delegable): boolean {
  return reservations.some(
    ({ protocol, pattern, isPrefix, owner }) =>
      isPrefix &&
      protocol === delegated.protocol &&
      owner.id === delegated.delegatedFrom &&
      owner.id !== delegated.owner.id &&
      delegated.pattern.startsWith(pattern),
  );
}

/**
 * Returns the delegated reservations whose wider reservation goes with the removed one, also at
 * several removes. A reservation that had no wider one before stays.
 */
export function endedDelegations<R extends Delegable>(
  reservations: readonly R[],
  removed: R,
): readonly R[] {
  const roots = reservations.filter(
    (reservation) =>
      reservation.delegatedFrom === undefined || !mayDelegate(reservations, reservation),
  );
  const kept = reachedFrom(
    roots.filter((reservation) => reservation !== removed),
    reservations.filter((reservation) => reservation !== removed),
  );
  return reachedFrom(roots, reservations).filter(
    (reservation) => reservation !== removed && !kept.includes(reservation),
  );
}

/** Returns the roots, and what was passed on from them. */
function reachedFrom<R extends Delegable>(
  roots: readonly R[],
  reservations: readonly R[],
): readonly R[] {
  let reached = roots;
  for (let found = reached; found.length > 0;) {
    const known = reached;
    found = reservations.filter(
      (reservation) => !known.includes(reservation) && mayDelegate(known, reservation),
    );
    reached = [...known, ...found];
  }
  return reached;
}
