import { blobStoreContract } from "./blob-store-contract.ts";
import { objectStoreContract } from "./object-store-contract.ts";

/** Their results depend on where the keys of a store begin. */
const NAMES: ReadonlySet<string> = new Set([
  "reads back what was written",
  "answers undefined for what is not there, and deletes it without complaint",
  "no longer reads what was deleted",
  "takes odd but valid keys, and tells them apart",
  "moves an object, as new, and replaces what had the name",
  "lists by prefix, folders and parts of names alike",
  "makes a single part a blob, on this instance or another",
  "sweeps blobs that no row names, and keeps the others",
  "lists staged bodies that nobody keeps, and deletes those that are old enough",
  "sweeps the parts of uploads without a session",
]);

/** The short contract of a store below a prefix, for services that passed the whole contract. */
export const prefixContract = [...objectStoreContract, ...blobStoreContract].filter(({ name }) =>
  NAMES.has(name),
);

if (prefixContract.length !== NAMES.size) {
  throw new Error("The contracts have no case of one of these names.");
}
