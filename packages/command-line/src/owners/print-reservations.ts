import { reservedPatternText } from "@sealhouse/identity";
import type {
  AddedReservation,
  RemovedReservations,
  ShownReservation,
} from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";

/** Prints reserved names. */
export const RESERVATION_PRINTS = {
  "reservations.add": printOf<AddedReservation>({
    text({ handle, outcome }, { stderr, input }) {
      const pattern = String(input["pattern"]);
      if (outcome === "present") stderr(`${pattern} is reserved for ${handle}.`);
      else stderr(`${pattern} is now reserved for ${handle}.`);
    },
  }),
  "reservations.list": printOf<{ readonly items: readonly ShownReservation[] }>({
    text({ items }, { stdout, stderr }) {
      if (items.length === 0) stderr("No names are reserved.");
      for (const reservation of items) stdout(lineOf(reservation));
    },
  }),
  "reservations.show": printOf<ShownReservation>({
    text: (reservation, { stdout }) => stdout(lineOf(reservation)),
  }),
  "reservations.remove": printOf<RemovedReservations>({
    text({ id, alsoRemoved }, { stderr }) {
      stderr(`Removed the reservation ${id}.`);
      for (const other of alsoRemoved) {
        const form = reservedPatternText(other);
        stderr(`Also removed ${form} of ${other.handle}, which was passed on from it.`);
      }
    },
  }),
};

function lineOf(reservation: ShownReservation): string {
  const { id, protocol, owner, isShared } = reservation;
  const shared = isShared ? ["shared"] : [];
  const form = reservedPatternText(reservation);
  return [String(id), protocol, form, owner.handle, ...shared].join("  ");
}
