import type { DecidedTransfer, OfferedTransfer, ShownTransfer } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";

const DECIDED = printOf<DecidedTransfer>({
  text: ({ id, decision }, { stderr }) => stderr(`The offer ${id} is ${decision}.`),
});

/** Prints offers of rights on names. */
export const TRANSFER_PRINTS = {
  "transfers.offer": printOf<OfferedTransfer>({
    text({ id, to, expiresAt }, { stdout, stderr, input }) {
      stderr(`Offered ${String(input["name"])} to ${to} until ${expiresAt}.`);
      stderr(`The other side accepts it with: sealhouse transfer accept ${id}`);
      stdout(id);
    },
  }),
  "transfers.list": printOf<{ readonly items: readonly ShownTransfer[] }>({
    text({ items }, { stdout, stderr }) {
      if (items.length === 0) stderr("No offer is open.");
      for (const transfer of items) stdout(lineOf(transfer));
    },
  }),
  "transfers.show": printOf<ShownTransfer>({
    text: (transfer, { stdout }) => stdout(lineOf(transfer)),
  }),
  "transfers.accept": DECIDED,
  "transfers.decline": DECIDED,
};

function lineOf({ id, name, to, level, expiresAt }: ShownTransfer): string {
  const end = `expires ${expiresAt.slice(0, 10)}`;
  return [id, name.protocol, name.name, `to ${to.handle}`, level, end].join("  ");
}
