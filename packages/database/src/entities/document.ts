import { defineEntity, p } from "@mikro-orm/core";
import { bytes, key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** Everything that one change makes stale together. */
export const DocumentGroup = defineEntity({
  name: "DocumentGroup",
  tableName: "document_groups",
  properties: {
    name: key(NAME_LENGTH.document).primary(),
    revision: p.integer(),
  },
});

/** A rendered document, kept as the bytes that go over the wire. */
export const Document = defineEntity({
  name: "Document",
  tableName: "documents",
  properties: {
    documentKey: key(NAME_LENGTH.document).primary(),
    groupName: key(NAME_LENGTH.document).index(),
    etag: longText(),
    contentType: longText(),
    modifiedAt: time(),
    identity: bytes(),
    gzip: bytes().nullable(),
    zstd: bytes().nullable(),
  },
});
