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

/** Returns the delegated reservations whose wider reservation is gone, also at several removes. */
export function endedDelegations<R extends Delegable>(reservations: readonly R[]): readonly R[] {
  let valid = reservations.filter(({ delegatedFrom }) => delegatedFrom === undefined);
  let rest = reservations.filter(({ delegatedFrom }) => delegatedFrom !== undefined);
  for (let found = rest; found.length > 0;) {
    const known = valid;
    found = rest.filter((reservation) => mayDelegate(known, reservation));
    valid = [...valid, ...found];
    rest = rest.filter((reservation) => !found.includes(reservation));
  }
  return rest;
}
