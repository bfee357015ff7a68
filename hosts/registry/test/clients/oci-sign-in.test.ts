import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { IdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import { openIdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import { buildTarEntry } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import type { Ran } from "./client.ts";
import { openFolder } from "./client.ts";
import { openDockerDaemon } from "./docker-daemon.ts";
import { writeImageLayout } from "./image-layout.ts";
import type { Tool, ToolName } from "./oci-tools.ts";
import { findTool, runTool } from "./oci-tools.ts";

/** Where a client works: its own home, and what it pushes. */
type Place = {
  readonly home: string;
  /** `127.0.0.1:4711` */
  readonly registry: string;
  readonly run: (...args: readonly string[]) => Promise<Ran>;
};

type Client = {
  readonly name: ToolName;
  login(place: Place, password: string): Promise<Ran>;
  /** Pushes something to `image`, forgets it, and pulls it again; the last step that failed. */
  pushAndPull(place: Place, image: string): Promise<Ran>;
  /** Some only note the password down. */
  readonly checksPassword: boolean;
};

const INSECURE = "--tls-verify=false";
const user = ["-u", "somebody", "-p"] as const;

async function inOrder(...steps: readonly (() => Promise<Ran>)[]): Promise<Ran> {
  let last: Ran = { code: 0, stdout: "", output: "" };
  for (const step of steps) {
    last = await step();
    if (last.code !== 0) return last;
  }
  return last;
}

/** In its own directory, without namespaces of the kernel. */
const storedIn = ({ home }: Place) => [
  `--root=${join(home, "root")}`,
  `--runroot=${join(home, "run")}`,
  "--storage-driver=vfs",
];

const CLIENTS: readonly Client[] = [
  {
    name: "docker",
    checksPassword: true,
    login: ({ run, registry }, password) => run("login", ...user, password, registry),
    pushAndPull: ({ run, home }, image) =>
      inOrder(
        () => run("import", join(home, "files.tar"), image),
        () => run("push", image),
        () => run("rmi", image),
        () => run("pull", image),
      ),
  },
  {
    name: "podman",
    checksPassword: true,
    login: ({ run, registry }, password) => run("login", INSECURE, ...user, password, registry),
    pushAndPull(place, image) {
      const run = (...args: readonly string[]) => place.run(...storedIn(place), ...args);
      return inOrder(
        () => run("import", join(place.home, "files.tar"), image),
        () => run("push", INSECURE, image),
        () => run("rmi", image),
        () => run("pull", INSECURE, image),
      );
    },
  },
  {
    name: "buildah",
    checksPassword: true,
    login: ({ run, registry }, password) => run("login", INSECURE, ...user, password, registry),
    pushAndPull(place, image) {
      const run = (...args: readonly string[]) => place.run(...storedIn(place), ...args);
      const container = image.replaceAll(/\W/g, "-");
      return inOrder(
        () => run("from", "--name", container, "scratch"),
        () => run("add", container, join(place.home, "files.tar")),
        () => run("commit", container, image),
        () => run("push", INSECURE, image),
        () => run("rmi", "--force", image),
        () => run("pull", INSECURE, image),
      );
    },
  },
  {
    name: "skopeo",
    checksPassword: true,
    login: ({ run, registry }, password) => run("login", INSECURE, ...user, password, registry),
    pushAndPull: ({ run, home }, image) =>
      inOrder(
        () =>
          run("copy", `--dest-${INSECURE.slice(2)}`, `oci:${home}/layout:1`, `docker://${image}`),
        () => run("copy", `--src-${INSECURE.slice(2)}`, `docker://${image}`, `oci:${home}/out:1`),
      ),
  },
  ...(["oras-1.2", "oras-1.3"] as const).map((name) => ({
    name,
    checksPassword: true,
    login: ({ run, registry }: Place, password: string) =>
      run("login", "--plain-http", ...user, password, registry),
    pushAndPull: ({ run, home }: Place, image: string) =>
      inOrder(
        () => run("push", "--plain-http", image, "files.tar"),
        () => run("pull", "--plain-http", "--output", join(home, "out"), image),
      ),
  })),
  {
    name: "crane",
    checksPassword: false,
    login: ({ run, registry }, password) => run("auth", "login", ...user, password, registry),
    pushAndPull: ({ run, home }, image) =>
      inOrder(
        () => run("push", join(home, "layout"), image),
        () => run("pull", image, join(home, "pulled.tar")),
      ),
  },
  ...(["cosign-2", "cosign-3"] as const).map((name) => ({
    name,
    checksPassword: false,
    login: ({ run, registry }: Place, password: string) =>
      run("login", ...user, password, registry),
    // The cases of signatures push with it; here it reads what needs the login.
    pushAndPull: ({ run, registry }: Place) => run("triangulate", `${registry}/acme/seed:1`),
  })),
];

const isRoot = process.getuid?.() === 0;
const dockerd = isRoot ? await findTool("dockerd") : undefined;
const foundTools: (readonly [ToolName, Client, Tool])[] = [];
for (const client of CLIENTS) {
  const needed = client.name === "docker" ? dockerd : true;
  const tool = needed && (await findTool(client.name));
  if (tool) foundTools.push([client.name, client, tool]);
}

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
/** Credentials of the segment only. */
let acmeToken: string;
let dockerHost = "";
let issuer: IdTokenIssuerStandIn;

const OURS = "https://feed.test";
const RUN = {
  repository: "acme/demo",
  repository_id: "7",
  repository_owner_id: "1",
  workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
};
const CLOSED = {
  Feed__Authentication__AllowAnonymousPull: "false",
  Feed__Oci__Acme__Enabled: "true",
};

beforeAll(async () => {
  if (foundTools.length === 0) return;
  issuer = cleanUp.use(await openIdTokenIssuerStandIn());
  issuer.serve(RUN);
  const trust = {
    Feed__Npm__TrustedPublishing__GitHub__Issuer: issuer.issuer,
    Host__OutgoingRequests__AllowPrivateAddresses: "true",
    Host__TrustedPublishing__Audiences__0: OURS,
  };
  host = cleanUp.use(await spawnHost({ env: { ...CLOSED, ...trust } }));
  const words = ["--provider", "github", "--repo", "acme/demo", "--file", "publish.yml"];
  await host.cli(
    "pipeline",
    "add",
    "acme/**",
    ...words,
    "--protocols",
    "oci",
    "--life",
    "60",
    "--may-create",
  );
  acmeToken = await host.makeToken({ scopes: "read,write", patterns: "acme/**" });
  await seed();
  if (dockerd) dockerHost = cleanUp.use(await openDockerDaemon(dockerd)).host;
});
afterAll(() => cleanUp.disposeAsync());

async function openPlace(
  opened: AsyncDisposableStack,
  tool: Tool,
  registry = new URL(host.url).host,
): Promise<Place> {
  const { path: home } = opened.use(await openFolder());
  await writeImageLayout(join(home, "layout"), "1");
  const entry = buildTarEntry({ path: "hello.txt", content: Buffer.from("hello") });
  await writeFile(join(home, "files.tar"), Buffer.concat([entry, Buffer.alloc(1024)]));
  const policy = JSON.stringify({ default: [{ type: "insecureAcceptAnything" }] });
  const policies = join(home, ".config", "containers");
  await mkdir(policies, { recursive: true });
  await writeFile(join(policies, "policy.json"), policy);
  const env = {
    HOME: home,
    DOCKER_CONFIG: join(home, ".docker"),
    REGISTRY_AUTH_FILE: join(home, "auth.json"),
    XDG_RUNTIME_DIR: home,
    ...(dockerHost !== "" && { DOCKER_HOST: dockerHost }),
  };
  return { home, registry, run: (...args) => runTool(tool, args, { env, cwd: home }) };
}

describe.skipIf(foundTools.length === 0).each(foundTools)("%s", (name, client, tool) => {
  test("logs in, pushes to a segment and pulls from it, with what the login left", async () => {
    await using opened = new AsyncDisposableStack();
    const place = await openPlace(opened, tool);
    const signedIn = await client.login(place, acmeToken);
    expect(signedIn.output).not.toMatch(/unauthorized|denied/i);
    expect(signedIn.code).toBe(0);
    const image = `${place.registry}/acme/of-${name.replaceAll(".", "-")}:1`;
    const ended = await client.pushAndPull(place, image);
    expect(ended.output).not.toMatch(/unauthorized|denied/i);
    expect(ended.code).toBe(0);
    const elsewhere = await client.pushAndPull(place, image.replace("/acme/", "/other/"));
    if (name.startsWith("cosign")) return;
    expect(elsewhere.code).not.toBe(0);
    expect(elsewhere.output).toMatch(/denied|forbidden|403|unauthorized/i);
  });
});

/** Clients that keep the password, send it again, or exchange it for a refresh token. */
const BUILDING = foundTools.filter(([name]) => ["docker", "podman", "skopeo"].includes(name));

describe.skipIf(BUILDING.length === 0).each(BUILDING)("%s", (name, client, tool) => {
  test("logs in with the ID token of a build job, and pushes and pulls twice", async () => {
    await using opened = new AsyncDisposableStack();
    const place = await openPlace(opened, tool);
    const signedIn = await client.login(place, issuer.token(OURS));
    expect(signedIn.code, signedIn.output).toBe(0);
    for (const tag of ["1", "2"]) {
      const ended = await client.pushAndPull(place, `${place.registry}/acme/built-${name}:${tag}`);
      expect(ended.code, ended.output).toBe(0);
    }
    const elsewhere = await client.pushAndPull(place, `${place.registry}/other/app:1`);
    expect(elsewhere.code).not.toBe(0);
  });
});

test.skipIf(foundTools.length === 0)(
  "an ID token is refused outside the token service",
  async () => {
    const idToken = issuer.token(OURS);
    for (const headers of [{ authorization: `Bearer ${idToken}` }, basic(idToken)]) {
      const answer = await host.fetch("/v2/acme/seed/manifests/1", { headers });
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain("only at the token service");
    }
  },
);

const CHECKING = foundTools.filter(([, client]) => client.checksPassword);

describe.skipIf(CHECKING.length === 0).each(CHECKING)("%s", (_, client, tool) => {
  test("a client shows that the password is wrong", async () => {
    await using opened = new AsyncDisposableStack();
    const place = await openPlace(opened, tool);
    const signedIn = await client.login(place, "wrong");
    expect(signedIn.output).toMatch(/unauthorized|invalid username\/password/i);
    expect(signedIn.code).not.toBe(0);
  });
});

describe.skipIf(!foundTools.some(([name]) => name === "docker"))("docker", () => {
  test(
    "pushes after the end of the ID token that it logged in with",
    { timeout: 60_000 },
    async () => {
      const [, docker, tool] = foundTools.find(([name]) => name === "docker") ?? [];
      if (!tool) throw new Error("there is a docker");
      await using opened = new AsyncDisposableStack();
      const place = await openPlace(opened, tool);
      // The clock tolerance of 30 seconds accepts it for 8 seconds more.
      const exp = Math.floor(Date.now() / 1_000) - 22;
      const idToken = issuer.token(OURS, { claims: { exp, iat: exp - 300, nbf: exp - 300 } });
      const signedIn = await docker?.login(place, idToken);
      expect(signedIn?.code, signedIn?.output).toBe(0);
      const path = "/token?service=x&scope=repository:acme/late:pull";
      const ask = async () => (await host.fetch(path, { headers: basic(idToken) })).status;
      await expect.poll(ask, { timeout: 30_000, interval: 500 }).toBe(401);
      const ended = await docker?.pushAndPull(place, `${place.registry}/acme/late:1`);
      expect(ended?.code, ended?.output).toBe(0);
    },
  );

  test("keeps a refresh token and not the password, until the token is revoked", async () => {
    const tool = foundTools.find(([name]) => name === "docker")?.[2];
    if (!tool) throw new Error("there is a docker");
    await using opened = new AsyncDisposableStack();
    const place = await openPlace(opened, tool);
    const name = "docker-of-somebody";
    const password = await host.makeToken({ name, scopes: "read,write" });
    const docker = CLIENTS.find((client) => client.name === "docker");
    expect((await docker?.login(place, password))?.output).toContain("Login Succeeded");
    const config = await readFile(join(place.home, ".docker", "config.json"), "utf8");
    expect(config).toMatch(/"identitytoken": "shr_/);
    expect(config).not.toContain(password);
    const image = `${place.registry}/team/app:1`;
    expect((await docker?.pushAndPull(place, image))?.code).toBe(0);

    const { stdout } = await host.cli("token", "list", "--json");
    const tokens = JSON.parse(stdout) as { readonly id: string; readonly name: string }[];
    await host.cli("token", "revoke", tokens.find((token) => token.name === name)?.id ?? "");
    const refused = await place.run("pull", image);
    expect(refused.output).toMatch(/unauthorized|denied|authentication required/i);
    expect(refused.code).not.toBe(0);
  });
});

const AT_HOST_NAME = foundTools.filter(([name]) => ["docker", "skopeo", "oras-1.3"].includes(name));

describe.skipIf(AT_HOST_NAME.length === 0)("a segment at its own host name", () => {
  let segment: TestHost;
  beforeAll(async () => {
    const names = {
      Feed__PublicBaseUrl: "http://packages.example",
      Feed__Oci__Acme__HostNames__0: "localhost",
    };
    segment = cleanUp.use(await spawnHost({ env: { ...CLOSED, ...names } }));
  });

  test.each(AT_HOST_NAME)("%s finds it at the root", async (name, client, tool) => {
    await using opened = new AsyncDisposableStack();
    const { port } = new URL(segment.url);
    const place = await openPlace(opened, tool, `localhost:${port}`);
    const token = await segment.makeToken({ scopes: "read,write", patterns: "acme/**" });
    const signedIn = await client.login(place, token);
    expect(signedIn.code).toBe(0);
    const ended = await client.pushAndPull(place, `${place.registry}/of-${name.slice(0, 4)}:1`);
    expect(ended.output).not.toMatch(/unauthorized|denied/i);
    expect(ended.code).toBe(0);
    const path = `/v2/acme/of-${name.slice(0, 4)}/tags/list`;
    const listed = await segment.fetch(path, { headers: basic(token) });
    expect(listed.status).toBe(200);
  });
});

function basic(token: string) {
  return { authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}` };
}

/** Something to read for those that push nothing. */
async function seed(): Promise<void> {
  const put = { method: "PUT", headers: { ...basic(acmeToken), "content-type": INDEX } };
  const body = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [] });
  const answer = await host.fetch("/v2/acme/seed/manifests/1", { ...put, body });
  expect(answer.status).toBe(201);
}

const INDEX = "application/vnd.oci.image.index.v1+json";
