import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasClient } from "../clients/client.ts";
import type { Ran } from "../clients/client.ts";
import type { ClientHome } from "../clients/client-home.ts";
import { openClientHome } from "../clients/client-home.ts";
import { findContainerd, openContainerd } from "../clients/containerd.ts";
import { openDockerDaemon } from "../clients/docker-daemon.ts";
import { BASIC_USER, startDockerRegistry } from "../clients/docker-registry.ts";
import { writeImageLayout } from "../clients/image-layout.ts";
import { findTool } from "../clients/oci-tools.ts";
import { openTokenService } from "../clients/token-service.ts";
import { startMirrorHost } from "./mirror-host.ts";
import type { ImageSource, MirrorHost } from "./mirror-host.ts";

const NAMES = ["skopeo", "crane", "podman", "buildah", "docker", "dockerd"] as const;
const found = await Promise.all(NAMES.map(async (name) => [name, await findTool(name)] as const));
const tools = Object.fromEntries(found);
const [cosign2, cosign3] = [await findTool("cosign-2"), await findTool("cosign-3")];
const isRoot = process.getuid?.() === 0;
const containerd = findContainerd(tools["dockerd"]);
const canRun = hasClient("docker-registry") && tools["skopeo"] !== undefined;
const HUB_IMAGE = "docker.io/library/app:1.0";

const cleanUp = new AsyncDisposableStack();
const upstreams = new AsyncDisposableStack();
let home: ClientHome;
let host: MirrorHost;
let mirror: string;
let pulls = 0;

type Puller = {
  readonly client: string;
  readonly isHere: boolean;
  /** Pulls an image with an empty store. */
  readonly pull: (image: string) => Promise<Ran>;
};

const storage = (folder: string) => [
  `--root=${join(home.path, folder, "root")}`,
  `--runroot=${join(home.path, folder, "run")}`,
  "--storage-driver=vfs",
];
const attempt = (name: (typeof NAMES)[number], ...words: readonly string[]) =>
  home.attempt(tools[name], ...words);
const pullInto = (name: "podman" | "buildah") => (image: string) =>
  attempt(name, ...storage(`${name}-${(pulls += 1)}`), "pull", "--tls-verify=false", image);

const skopeo: Puller = {
  client: "skopeo",
  isHere: true,
  pull(image) {
    const to = `oci:${join(home.path, `pulled-${(pulls += 1)}`)}:1.0`;
    const words = ["copy", "--all", "--src-tls-verify=false", `docker://${image}`, to];
    return attempt("skopeo", "--insecure-policy", ...words);
  },
};
const DIRECT: readonly Puller[] = [
  skopeo,
  {
    client: "crane",
    isHere: tools["crane"] !== undefined,
    pull: (image) => attempt("crane", "pull", "--insecure", image, `pulled-${(pulls += 1)}.tar`),
  },
  { client: "podman", isHere: tools["podman"] !== undefined, pull: pullInto("podman") },
  { client: "buildah", isHere: tools["buildah"] !== undefined, pull: pullInto("buildah") },
];

/** Clients with a mirror of Docker Hub in their settings, which ask for its image. */
const AS_MIRROR: readonly Puller[] = [
  {
    client: "podman with registries.conf",
    isHere: tools["podman"] !== undefined,
    pull: pullInto("podman"),
  },
  {
    client: "containerd with ns=docker.io",
    isHere: isRoot && containerd !== undefined,
    async pull(image) {
      if (!containerd) return expect.unreachable();
      const place = { registry: "docker.io", mirror: host.url };
      await using daemon = await openContainerd(containerd, place);
      return await daemon.pull(image);
    },
  },
  {
    client: "docker with registry-mirrors",
    isHere: isRoot && tools["docker"] !== undefined && tools["dockerd"] !== undefined,
    async pull(image) {
      if (!tools["dockerd"]) return expect.unreachable();
      await using daemon = await openDockerDaemon(tools["dockerd"], host.url);
      return await attempt("docker", "--host", daemon.host, "pull", image);
    },
  },
];

/** The first finds its signatures by a tag, the second by the referrers. */
const SIGNERS = [
  { client: "cosign 2", tool: cosign2, isHere: cosign2 !== undefined, key: "two", options: [] },
  {
    client: "cosign 3",
    tool: cosign3,
    isHere: cosign3 !== undefined,
    key: "three",
    options: ["--use-signing-config=false"],
  },
];
const SIGN = ["--allow-insecure-registry", "--tlog-upload=false", "-y"];
const VERIFY = ["--private-infrastructure", "--allow-insecure-registry"];

function here<C extends { readonly isHere: boolean }>(clients: readonly C[]): readonly C[] {
  return clients.filter(({ isHere }) => isHere);
}

/** Clients pull through the host from real registries, which are stopped then. */
describe.skipIf(!canRun)("clients of images through the mirror", () => {
  beforeAll(async () => {
    const tokens = upstreams.use(await openTokenService(BASIC_USER));
    const registries = {
      plain: upstreams.use(await startDockerRegistry()),
      basic: upstreams.use(await startDockerRegistry({ wantsBasic: true })),
      token: upstreams.use(await startDockerRegistry({ tokens })),
    };
    const { username, password } = BASIC_USER;
    const sources = Object.entries(registries).map(([name, { url }]): ImageSource => {
      const isOpen = name === "plain";
      return {
        // Clients of mirrors ask for images of Docker Hub.
        name: isOpen ? "docker.io" : name,
        url,
        ...(!isOpen && { credentials: { type: "basic", username, password } }),
        settings: {
          allow: isOpen ? ["team/plain", "library/*", "docker.io/**"] : [`team/${name}`],
          tokenRealms: [new URL(tokens.url).origin],
        },
      };
    });
    host = cleanUp.use(await startMirrorHost(sources));
    mirror = new URL(host.url).host;
    home = cleanUp.use(
      await openClientHome(mirror, "", {
        CONTAINERS_REGISTRIES_CONF: "registries.conf",
        COSIGN_YES: "true",
      }),
    );
    await writeFile(join(home.path, ".docker", "config.json"), "{}");
    await writeFile(join(home.path, "registries.conf"), registriesConf(mirror));
    await writeImageLayout(join(home.path, "layout"), "1.0");
    for (const [name, { url }] of Object.entries(registries)) {
      const access = name === "plain" ? [] : [`--dest-creds=${username}:${password}`];
      for (const image of [`team/${name}`, ...(name === "plain" ? ["library/app"] : [])]) {
        const to = `docker://${new URL(url).host}/${image}:1.0`;
        const copy = ["copy", "--dest-tls-verify=false", ...access, "oci:layout:1.0", to];
        await home.run(tools["skopeo"], "--insecure-policy", ...copy);
      }
    }
    await sign(new URL(registries.plain.url).host);
  }, 120_000);
  afterAll(async () => {
    await upstreams.disposeAsync();
    await cleanUp.disposeAsync();
  });

  async function sign(registry: string): Promise<void> {
    const image = `${registry}/team/plain:1.0`;
    for (const { tool, key, options } of here(SIGNERS)) {
      await home.run(tool, "generate-key-pair", "--output-key-prefix", key);
      await home.run(tool, "sign", "--key", `${key}.key`, ...SIGN, ...options, image);
    }
  }

  const imageOf = (name: string) => `${mirror}/team/${name}:1.0`;
  const verify = ({ tool, key }: (typeof SIGNERS)[number]) =>
    home.attempt(tool, "verify", "--key", `${key}.pub`, ...VERIFY, imageOf("plain"));
  /** Each of them, by name. */
  const work: readonly (readonly [what: string, run: () => Promise<Ran>])[] = [
    ...["basic", "token"].map(
      (name) => [`skopeo from a ${name} registry`, () => skopeo.pull(imageOf(name))] as const,
    ),
    ...here(DIRECT).map(({ client, pull }) => [client, () => pull(imageOf("plain"))] as const),
    ...here(AS_MIRROR).map(({ client, pull }) => [client, () => pull(HUB_IMAGE)] as const),
    ...here(SIGNERS).map((signer) => [`${signer.client} verify`, () => verify(signer)] as const),
  ];

  test.each(work)("%s succeeds", async (_, run) => {
    const { code, output } = await run();
    expect(code, output).toBe(0);
  });

  test("all of them succeed with empty stores when the registries are stopped", async () => {
    await upstreams.disposeAsync();
    for (const [what, run] of work) {
      const { code, output } = await run();
      expect(code, `${what}: ${output}`).toBe(0);
    }
  });

  test("skopeo shows the reason of a refusal", async () => {
    const rule = ["--protocol", "oci", "--name", "team/plain", "--reason", "It mines coins."];
    const denied = await host.cli("policy", "deny", ...rule);
    expect(denied.code, denied.stderr).toBe(0);
    const shown = async () => (await skopeo.pull(imageOf("plain"))).output;
    await expect
      .poll(shown, { timeout: 10_000 })
      .toContain("1.0 is denied on this registry: It mines");
  });
});

/** Podman asks the mirror alone: its registry is not there. */
function registriesConf(place: string): string {
  return [
    "[[registry]]",
    'prefix = "docker.io"',
    'location = "127.0.0.1:1"',
    "[[registry.mirror]]",
    `location = "${place}/docker.io"`,
    "insecure = true",
  ].join("\n");
}
