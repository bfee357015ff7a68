import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { makeServerCertificate } from "../clients/certificate-authority.ts";

const HOST = "tuf-repo-cdn.sigstore.dev";

/**
 * A stand-in for the public root of trust of Sigstore, which npm requests before the keys of a
 * registry: a TUF repository with its own root, behind a proxy that redirects the host name. npm
 * uses the root in its cache, so the stand-in puts it there first.
 */
export type SigstoreStandIn = AsyncDisposable & {
  /** For the environment of a client whose home was given to `seed`. */
  readonly env: Readonly<Record<string, string>>;
  /** Requested paths, in order. */
  readonly paths: readonly string[];
  seed(home: string): Promise<void>;
};

/** `targets`: files by name, such as `trusted_root.json`; none is known but these. */
export async function openSigstoreStandIn(
  folder: string,
  targets: Readonly<Record<string, string>> = {},
): Promise<SigstoreStandIn> {
  const { files, root } = tufRepository(targets);
  const tls = await makeServerCertificate(folder, `DNS:${HOST}`);
  const [cert, key] = await Promise.all([readFile(tls.certificate), readFile(tls.key)]);
  const paths: string[] = [];
  const repository = createTlsServer({ cert, key }, (request, response) => {
    const path = request.url ?? "/";
    paths.push(path);
    const file = files.get(path);
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  const port = await listen(repository);
  const proxy = createServer().on("connect", (request, socket, head) => {
    if (request.url !== `${HOST}:443`) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const inner = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      inner.write(head);
      inner.pipe(socket).pipe(inner);
    });
    inner.on("error", () => socket.destroy());
    socket.on("error", () => inner.destroy());
  });
  const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
  return {
    env: {
      HTTPS_PROXY: proxyUrl,
      NO_PROXY: "127.0.0.1,localhost",
      NODE_EXTRA_CA_CERTS: tls.authority,
      // npm 12 asks with the runtime's own fetch.
      NODE_USE_ENV_PROXY: "1",
    },
    paths,
    async seed(home) {
      // For the audit, and for what is looked at before a publish.
      for (const cache of [join("npm-cache", "_tuf"), join("data", "sigstore-js")]) {
        const path = join(home, cache, HOST);
        await mkdir(join(path, "targets"), { recursive: true });
        await writeFile(join(path, "root.json"), root);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const server of [proxy, repository]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function listen(server: Server | ReturnType<typeof createTlsServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the stand-in has no port");
  return address.port;
}

const FAR = "2099-01-01T00:00:00Z";
const HEAD = { spec_version: "1.0.31", version: 1, expires: FAR };

/** The files of a repository whose one key signs all four roles. */
function tufRepository(targets: Readonly<Record<string, string>>) {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const spki = publicKey.export({ type: "spki", format: "der" });
  const keyid = digest("sha256", spki);
  const signed = (content: object) => {
    const text = canonical(content);
    const sig = sign(undefined, Buffer.from(text), privateKey).toString("hex");
    return `{"signatures":[${canonical({ keyid, sig })}],"signed":${text}}`;
  };
  const role = { keyids: [keyid], threshold: 1 };
  const keyval = { public: spki.subarray(-32).toString("hex") };
  const root = signed({
    _type: "root",
    ...HEAD,
    consistent_snapshot: true,
    keys: { [keyid]: { keytype: "ed25519", scheme: "ed25519", keyval } },
    roles: { root: role, timestamp: role, snapshot: role, targets: role },
  });
  const described = Object.entries(targets).map(([name, text]) => [name, fileOf(text)] as const);
  const target = signed({ _type: "targets", ...HEAD, targets: Object.fromEntries(described) });
  const meta = (name: string, text: string) => ({ [name]: { version: 1, ...fileOf(text) } });
  const snapshot = signed({ _type: "snapshot", ...HEAD, meta: meta("targets.json", target) });
  const stamp = signed({ _type: "timestamp", ...HEAD, meta: meta("snapshot.json", snapshot) });
  const files = new Map([
    ["/timestamp.json", stamp],
    ["/1.snapshot.json", snapshot],
    ["/1.targets.json", target],
  ]);
  for (const [name, text] of Object.entries(targets)) {
    files.set(`/targets/${digest("sha256", Buffer.from(text))}.${name}`, text);
  }
  return { files, root };
}

function fileOf(text: string) {
  const bytes = Buffer.from(text);
  return { length: bytes.length, hashes: { sha256: digest("sha256", bytes) } };
}

function digest(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest("hex");
}

/** Keys in order and no blanks: the form whose bytes are signed. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
}
