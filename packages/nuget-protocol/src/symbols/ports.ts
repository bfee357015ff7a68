import type { Caller } from "@sealhouse/request-types";
import type { NamedBlob } from "../stored-package.ts";

/** Symbol packages and what is in them. Ids, versions, file names and keys lower-cased. */
export interface SymbolCatalog {
  /** In one transaction with its event; takes the place of an earlier symbol package of the same
   * version. `duplicates` names the blob keys whose bytes already had a name. */
  record(
    symbols: NewSymbolPackage,
    caller: Caller,
  ): Promise<
    | { readonly status: "recorded"; readonly duplicates: readonly string[] }
    | { readonly status: "absent" }
  >;
  /** Every PDB under this name and key; several only when two packages hold the same build. */
  find(fileName: string, symbolKey: string): Promise<readonly StoredSymbolFile[]>;
  /** The received symbol package of a version. */
  findPackage(id: string, version: string): Promise<NamedBlob | undefined>;
}

/** A symbol package for the recorder, with the keys of its files. */
export type NewSymbolPackage = {
  readonly id: string;
  readonly version: string;
  readonly blob: NamedBlob;
  readonly files: readonly SymbolFile[];
};

/** A PDB of a symbol package, with the keys of debuggers. */
export type SymbolFile = {
  /** Without folders: `acme.widgets.pdb`. */
  readonly fileName: string;
  /** The PDB's id as 32 hex digits, then `ffffffff` (SSQP key conventions). */
  readonly symbolKey: string;
  /** Hex SHA-256 of the PDB with its 20-byte id zeroed. */
  readonly checksum: string;
  readonly blob: NamedBlob;
};

/** A stored PDB with its version. */
export type StoredSymbolFile = SymbolFile & {
  /** The version it belongs to, for counting and for access. */
  readonly id: string;
  readonly version: string;
};
