// The floor of an npm publish: bare node:http that does only what cannot be left out. It reads the
// body, hashes and decompresses the tarball, signs the integrity, writes the rows in one synced
// transaction, and answers. No token, rules, events, history or search.
// usage: node bare-publish.ts PORT FILE
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";

type Body = {
  readonly name: string;
  readonly versions: Readonly<Record<string, unknown>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
};

const [port, file] = process.argv.slice(2);
if (port === undefined || file === undefined) throw new Error("usage: bare-publish.ts PORT FILE");

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const database = new DatabaseSync(file);
database.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table packages (id integer primary key, name text unique, revision integer);
  create table versions (id integer primary key, package_id integer, version text,
    manifest text, integrity text, shasum text, signature text, unique (package_id, version));
  create table blobs (id integer primary key, digest text unique, bytes blob);`);
const insertPackage = database.prepare("insert into packages (name, revision) values (?, 1)");
const insertBlob = database.prepare("insert into blobs (digest, bytes) values (?, ?)");
const insertVersion = database.prepare(
  `insert into versions (package_id, version, manifest, integrity, shasum, signature)
    values (?, ?, ?, ?, ?, ?)`,
);

function publish({ name, versions, _attachments: attachments }: Body): void {
  const [[version, manifest] = ["", {}]] = Object.entries(versions);
  const [attachment] = Object.values(attachments);
  const tarball = Buffer.from(attachment?.data ?? "", "base64");
  gunzipSync(tarball);
  const hashOf = (algorithm: string) => createHash(algorithm).update(tarball);
  const integrity = `sha512-${hashOf("sha512").digest("base64")}`;
  const signed = Buffer.from(`${name}@${version}:${integrity}`);
  const signature = sign("sha256", signed, privateKey).toString("base64");
  database.exec("begin immediate");
  const { lastInsertRowid: packageId } = insertPackage.run(name);
  insertBlob.run(hashOf("sha256").digest("hex"), tarball);
  const shasum = hashOf("sha1").digest("hex");
  insertVersion.run(packageId, version, JSON.stringify(manifest), integrity, shasum, signature);
  database.exec("commit");
}

createServer((request, response) => {
  void Array.fromAsync(request).then((chunks: Buffer[]) => {
    publish(JSON.parse(Buffer.concat(chunks).toString()) as Body);
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"ok":true}');
  });
}).listen(Number(port), "127.0.0.1", () => process.stdout.write("ready\n"));
