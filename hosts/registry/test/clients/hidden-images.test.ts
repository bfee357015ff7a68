import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import type { Ran } from "./client.ts";
import type { ClientHome } from "./client-home.ts";
import { openClientHome } from "./client-home.ts";
import type { Containerd } from "./containerd.ts";
import { findContainerd, openContainerd } from "./containerd.ts";
import { openDockerDaemon } from "./docker-daemon.ts";
import { writeImageLayout } from "./image-layout.ts";
import type { ToolName } from "./oci-tools.ts";
import { findTool } from "./oci-tools.ts";

/** Clients that have logged in read an image that anonymous callers must not see. */
const NAMES = [
  "skopeo",
  "podman",
  "docker",
  "dockerd",
  "crane",
  "oras-1.2",
  "oras-1.3",
  "cosign-3",
  "notation",
] as const;
const tools = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await findTool(name)] as const)),
);
const isRoot = process.getuid?.() === 0;
const containerd = isRoot ? findContainerd(tools["dockerd"]) : undefined;
const dockerd = isRoot && tools["docker"] ? tools["dockerd"] : undefined;
const HIDDEN = "team/hidden";

/** A client at one registry, with the login of a caller who may see the image or may not. */
type Reader = { readonly home: ClientHome; readonly token: string; readonly image: string };

type Read = (reader: Reader) => Promise<Ran>;

const words =
  (name: ToolName, wordsFor: (reader: Reader) => readonly string[]): Read =>
  (reader) =>
    reader.home.attempt(tools[name], ...wordsFor(reader));

let dockerHost = "";
let daemon: Containerd | undefined;

const CLIENTS: readonly (readonly [client: string, isHere: boolean, read: Read])[] = [
  client("skopeo", ({ image }) => ["inspect", "--raw", "--tls-verify=false", `docker://${image}`]),
  client("podman", ({ home, image }) => [...home.storage, "pull", "--tls-verify=false", image]),
  client("crane", ({ image }) => ["manifest", image]),
  client("oras-1.2", ({ image }) => ["manifest", "fetch", "--plain-http", image]),
  client("oras-1.3", ({ image }) => ["manifest", "fetch", "--plain-http", image]),
  client("cosign-3", ({ image }) => ["triangulate", image]),
  client("notation", ({ image }) => ["ls", "--insecure-registry", image]),
  ["docker", dockerd !== undefined, words("docker", ({ image }) => [...atDaemon(), "pull", image])],
  [
    "containerd",
    containerd !== undefined,
    ({ image, token }) =>
      daemon ? daemon.pull(image, { user: `tester:${token}` }) : expect.unreachable(),
  ],
];

function client(name: ToolName, wordsFor: (reader: Reader) => readonly string[]) {
  return [name, tools[name] !== undefined, words(name, wordsFor)] as const;
}

const atDaemon = () => ["--host", dockerHost];

const daemons = new AsyncDisposableStack();
beforeAll(async () => {
  if (dockerd) dockerHost = daemons.use(await openDockerDaemon(dockerd)).host;
}, 90_000);
afterAll(() => daemons.disposeAsync());

describe.skipIf(!tools["skopeo"]).each([
  ["with anonymous reading", "true"],
  ["without anonymous reading", "false"],
])("a hidden image, %s,", (_, allowed) => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let member: Reader;
  let stranger: Reader;

  beforeAll(async () => {
    const env = { Feed__Authentication__AllowAnonymousPull: allowed };
    host = cleanUp.use(await spawnHost({ env }));
    member = await reader(["--patterns", "team/**"]);
    stranger = await reader(["--patterns", "other/**"]);
    const { home, image } = member;
    await writeImageLayout(join(home.path, "layout"), "1");
    const push = ["copy", "--dest-tls-verify=false", "oci:layout:1", `docker://${image}`];
    await home.run(tools["skopeo"], "--insecure-policy", ...push);
    const hidden = await host.cli("visibility", "set", `oci:${HIDDEN}`, "private");
    expect(hidden.code, hidden.stderr).toBe(0);
    const registry = new URL(host.url).host;
    if (containerd) {
      daemon = cleanUp.use(await openContainerd(containerd, { registry, mirror: host.url }));
    }
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  async function reader(limits: readonly string[]): Promise<Reader> {
    const made = ["--name", "of-a-client", "--scopes", "read,write", ...limits];
    const token = (await host.cli("token", "create", ...made)).stdout.trim();
    const registry = new URL(host.url).host;
    const home = cleanUp.use(await openClientHome(registry, token));
    return { home, token, image: `${registry}/${HIDDEN}:1` };
  }

  test.each(CLIENTS.filter(([, isHere]) => isHere))(
    "is read by %s with the login of a member only",
    async (_name, _isHere, read) => {
      const refused = await read(stranger);
      expect(refused.code, refused.output).not.toBe(0);
      const { code, output } = await read(member);
      expect(code, output).toBe(0);
    },
  );
});
