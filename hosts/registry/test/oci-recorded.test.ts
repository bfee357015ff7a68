import { randomBytes } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { request } from "node:http";
import type { OutgoingHttpHeaders } from "node:http";
import {
  DOCKER_LIST,
  DOCKER_MANIFEST,
  OCI_INDEX,
  OCI_MANIFEST,
  buildImage,
  buildIndex,
} from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { startHost } from "../src/testing/index.ts";

/** The requests of clients that cannot be run here, sent again: `vectors/oci-clients/README.md`. */
const VECTORS = new URL("../../../vectors/oci-clients/", import.meta.url);
const TYPES = [DOCKER_MANIFEST, DOCKER_LIST, OCI_MANIFEST, OCI_INDEX];

const sequences = readdirSync(VECTORS)
  .filter((file) => file.endsWith(".txt"))
  .flatMap((file) => {
    const [, ...parts] = readFileSync(new URL(file, VECTORS), "utf8").split("== ");
    return parts.map((part) => {
      const [name = "", ...lines] = part.trim().split("\n");
      return [file.replace(/\.txt$/, ""), name, lines] as const;
    });
  });

const image = buildImage({
  layers: [randomBytes(50_000)],
  config: JSON.stringify({ architecture: "amd64", os: "linux" }),
  mediaType: DOCKER_MANIFEST,
});
const index = buildIndex([image]);
const [config, layer] = image.blobs;
const BYTES: Readonly<Record<string, Uint8Array | undefined>> = {
  nothing: new Uint8Array(),
  layer: layer?.bytes,
  config: config?.bytes,
  image: image.bytes,
  index: index.bytes,
};

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
let password: string;

beforeAll(async () => {
  const env = { Feed__Authentication__AllowAnonymousPull: "false" };
  host = cleanUp.use(await startHost({ env }));
  password = await host.makeToken({ scopes: "read,write" });
  const headers = { authorization: basic(), "content-type": "application/octet-stream" };
  for (const { digest, bytes } of image.blobs) {
    const path = `/v2/source/app/blobs/uploads/?digest=${digest}`;
    expect((await send("POST", path, headers, { bytes, isChunked: false })).status).toBe(201);
  }
  for (const [{ mediaType, bytes }, reference] of [
    [image, image.digest],
    [index, "1"],
  ] as const) {
    const typed = { ...headers, "content-type": mediaType };
    const path = `/v2/source/app/manifests/${reference}`;
    expect((await send("PUT", path, typed, { bytes, isChunked: false })).status).toBe(201);
  }
});
afterAll(() => cleanUp.disposeAsync());

test.each(sequences)("%s: %s", async (client, name, lines) => {
  const repository = `${client}/${name}`.replaceAll(/[^a-z0-9./-]+/g, "-");
  const places: Record<string, string> = {
    from: "source/app",
    at: repository,
    layer: layer?.digest ?? "",
    config: config?.digest ?? "",
    image: image.digest,
    index: index.digest,
    unknown: `sha256:${"7".repeat(64)}`,
  };
  const tokens = { bearer: "", refresh: "" };
  for (const line of lines) {
    const { status, method, path, words } = read(line, places);
    const body = bodyOf(words, tokens);
    const answer = await send(method, path, headersOf(words, tokens), body);
    expect([line, answer.status]).toEqual([line, status]);
    const opens = words.get("opens");
    if (opens !== undefined) places[opens] = answer.location;
    if (path.startsWith("/token")) remember(tokens, answer.body);
  }
  if (!name.startsWith("push")) return;
  const pushed = await host.fetch(`/v2/${repository}/manifests/1`, {
    headers: { authorization: basic() },
  });
  expect([image.digest, index.digest]).toContain(pushed.headers.get("docker-content-digest"));
});

test("there is something of each client that cannot be run", () => {
  const clients = sequences.map(([client]) => client);
  expect(clients).toEqual(expect.arrayContaining(["containerd-2.1", "docker-28", "podman-5.8"]));
});

type Words = ReadonlyMap<string, string>;

function read(line: string, places: Readonly<Record<string, string>>) {
  const filled = line.replaceAll(/\{(\w+)\}/g, (_, place: string) => places[place] ?? "");
  const [status, method = "", path = "", ...rest] = filled.split(" ");
  const words = new Map(
    rest.map((word) => {
      const [key = "", ...value] = word.split("=");
      return [key, value.join("=")] as const;
    }),
  );
  return { status: Number(status), method, path, words };
}

type Tokens = { bearer: string; refresh: string };

function remember(tokens: Tokens, body: string): void {
  const issued = JSON.parse(body) as { readonly token: string; readonly refresh_token?: string };
  tokens.bearer = issued.token;
  tokens.refresh = issued.refresh_token ?? tokens.refresh;
}

function headersOf(words: Words, { bearer }: Tokens): OutgoingHttpHeaders {
  const accept = words.get("accept");
  const type = words.has("form") ? "application/x-www-form-urlencoded" : words.get("type");
  const range = words.get("range");
  return {
    connection: "close",
    ...(words.has("basic") && { authorization: basic() }),
    ...(words.has("bearer") && { authorization: `Bearer ${bearer}` }),
    ...(type !== undefined && { "content-type": type }),
    ...(range !== undefined && { range }),
    ...(accept !== undefined && { accept: acceptOf(accept) }),
  };
}

function acceptOf(word: string): string | string[] {
  if (word === "line") return [...TYPES, "*/*"].join(", ");
  return word === "lines" ? [...TYPES] : word.replace(",", ", ");
}

type Body = { readonly bytes: Uint8Array; readonly isChunked: boolean };

function bodyOf(words: Words, { refresh }: Tokens): Body | undefined {
  const form = words.get("form");
  if (form !== undefined) {
    const scope = words.get("scope")?.replaceAll("+", " ") ?? "";
    const grant =
      form === "password"
        ? { grant_type: "password", username: "u", password }
        : { grant_type: "refresh_token", refresh_token: refresh };
    const fields = { ...grant, client_id: "containerd-client", service: "default", scope };
    return { bytes: Buffer.from(new URLSearchParams(fields).toString()), isChunked: false };
  }
  const name = words.get("body");
  if (name === undefined) return undefined;
  const bytes = BYTES[name];
  if (!bytes) throw new Error(`there are no bytes called ${name}`);
  return { bytes, isChunked: words.has("chunked") };
}

function basic(): string {
  return `Basic ${btoa(`u:${password}`)}`;
}

/** With exactly these headers, as no `fetch` would. */
function send(method: string, path: string, headers: OutgoingHttpHeaders, body?: Body) {
  type Answer = { readonly status: number; readonly location: string; readonly body: string };
  return new Promise<Answer>((resolve, reject) => {
    const { hostname, port } = new URL(host.url);
    const length = body && !body.isChunked ? { "content-length": body.bytes.length } : {};
    const all = { ...headers, ...length };
    const sent = request({ method, path, hostname, port, headers: all, agent: false }, (answer) => {
      const { statusCode: status = 0, headers: answered } = answer;
      let text = "";
      answer.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
      answer.once("end", () => resolve({ status, location: answered.location ?? "", body: text }));
      answer.once("error", reject);
    });
    sent.once("error", reject);
    if (body) sent.write(body.bytes);
    sent.end();
  });
}
