import { defineEntity, p } from "@mikro-orm/core";
import { Blob } from "./blob.ts";
import { key, longText, rowId, time } from "./columns.ts";
import { NuGetVersion } from "./nuget.ts";

/** The symbol package of a version, as received. A later one replaces it. */
export const NuGetSymbolPackage = defineEntity({
  name: "NuGetSymbolPackage",
  tableName: "nuget_symbol_packages",
  indexes: [{ properties: ["blob"] }],
  properties: {
    id: rowId(),
    version: () => p.manyToOne(NuGetVersion).mapToPk().unique().deleteRule("restrict"),
    blob: () => p.manyToOne(Blob).mapToPk().deleteRule("restrict"),
    uploadedAt: time(),
    uploadedBy: longText(),
  },
});

/** One portable PDB, under the name and key that debuggers ask for (SSQP). */
export const NuGetSymbolFile = defineEntity({
  name: "NuGetSymbolFile",
  tableName: "nuget_symbol_files",
  indexes: [{ properties: ["symbolKey", "fileName"] }, { properties: ["blob"] }],
  properties: {
    id: rowId(),
    symbolPackage: () => p.manyToOne(NuGetSymbolPackage).mapToPk().deleteRule("restrict"),
    /** Lower case, without folders. */
    fileName: key(255),
    /** The id of the PDB as 32 hex digits, then `ffffffff`; lower case. */
    symbolKey: key(64),
    /** Lower-case hex SHA-256 of the PDB with its id zeroed. */
    checksum: key(64),
    blob: () => p.manyToOne(Blob).mapToPk().deleteRule("restrict"),
  },
});
