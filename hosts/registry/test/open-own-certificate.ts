// One instance that opens the host's own certificate, in its own process. Reads the folder of the
// store and the current time from its arguments, waits for a line, and prints the fingerprint.
import { once } from "node:events";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { openSelfSigned, parseCertificate } from "@sealhouse/repo-signing";
import { openFilesystemStore } from "@sealhouse/storage-providers/filesystem";
import { createSharedFile } from "@sealhouse/storage-providers";

const [root = "", now = ""] = process.argv.slice(2);
await using store = await openFilesystemStore({ root });
await using database = await openDatabase({ type: "Sqlite", path: join(root, "feed.db") });
process.stdout.write("ready\n");
await once(process.stdin, "data");
const signer = await openSelfSigned({
  file: createSharedFile(store, "certs/own.pfx"),
  next: createSharedFile(store, "certs/own.pfx.next"),
  ledger: database.certificates,
  password: "secret",
  subject: { serverName: "Sealhouse" },
  keySize: 2048,
  validityInDays: 365,
  hash: "SHA256",
  now: () => new Date(now),
  randomBytes,
});
const [der = new Uint8Array()] = signer.chain;
process.stdout.write(`${parseCertificate(der).fingerprint}\n`);
process.stdin.destroy();
