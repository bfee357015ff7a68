import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { ociArtifact } from "../artifacts.ts";
import { hasClient, openFolder } from "../clients/client.ts";
import { BASIC_USER, startDockerRegistry } from "../clients/docker-registry.ts";
import type { DockerRegistry } from "../clients/docker-registry.ts";
import { findTool, runTool } from "../clients/oci-tools.ts";
import { openTokenService } from "../clients/token-service.ts";
import type { TokenService } from "../clients/token-service.ts";

// docker-registry without passwords, and with a token service, which is a stand-in.

const CONTENT = new Uint8Array(20_000).fill(7);
const IMAGE = ociArtifact("team/app", CONTENT);
const LOGIN = ["--username", BASIC_USER.username, "--token-env", "DOCKER_PASSWORD"];
const REPOSITORY = "production/team/app";

const skopeo = await findTool("skopeo");

describe.skipIf(!hasClient("docker-registry") || !skopeo)("docker-registry", () => {
  const cleanUp = new AsyncDisposableStack();
  let folder: string;
  let dev: TestHost;
  let tokens: TokenService;
  let registries: { readonly open: DockerRegistry; readonly token: DockerRegistry };

  beforeAll(async () => {
    folder = cleanUp.use(await openFolder()).path;
    tokens = cleanUp.use(await openTokenService(BASIC_USER));
    registries = {
      open: cleanUp.use(await startDockerRegistry()),
      token: cleanUp.use(await startDockerRegistry({ tokens })),
    };
    const env = { DOCKER_PASSWORD: BASIC_USER.password, WRONG_PASSWORD: "wrong" };
    dev = cleanUp.use(await spawnHost({ folder: join(folder, "dev"), env }));
    expect(await IMAGE.push(dev, await dev.makeToken({ scopes: "write" }))).toBe(true);
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  /** Adds a target, and a group of the image that goes there. */
  async function addGroup(name: keyof typeof registries, ...options: readonly string[]) {
    const place = ["--protocol", "oci", "--endpoint", `${registries[name].url}/production`];
    const near = ["--allow-private-network", "--replace"];
    for (const words of [
      ["target", "add", name, ...place, ...near, ...options],
      ["group", "add", name, "--member", "oci:team/app", "--target", name, "--replace"],
    ]) {
      const done = await dev.cli(...words);
      expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
    }
  }

  /** Runs a command that prints JSON. */
  async function json(...words: readonly string[]) {
    const { code, stdout } = await dev.cli(...words, "--json");
    return { code, shown: JSON.parse(stdout) as Readonly<Record<string, string>> };
  }

  /** Copies the image with skopeo from one of the registries to a folder. */
  async function pull(name: keyof typeof registries, ...options: readonly string[]) {
    if (!skopeo) throw new Error("no skopeo");
    const from = `docker://${new URL(registries[name].url).host}/${REPOSITORY}:1.0`;
    const words = ["copy", "--src-tls-verify=false", ...options, from];
    return runTool(skopeo, ["--insecure-policy", ...words, `dir:${join(folder, name)}`]);
  }

  test("without passwords takes images, and skopeo pulls them", async () => {
    await addGroup("open");
    expect((await json("target", "test", "open")).shown["status"]).toBe("ready");
    expect((await pull("open")).code).not.toBe(0);
    expect((await json("promote", "open")).shown["state"]).toBe("released");
    const pulled = await pull("open");
    expect([pulled.code, pulled.output]).toEqual([0, expect.any(String)]);
  }, 120_000);

  test("sends no password to a token service at another origin, unless allowed", async () => {
    await addGroup("token", ...LOGIN);
    const before = tokens.requests();
    const { code, shown } = await json("promote", "token");
    expect([code, shown["state"]]).toEqual([1, "failed"]);
    expect(shown["reason"]).toContain("--allowed-origin");
    expect(tokens.requests()).toBe(before);
  }, 120_000);

  test("with tokens takes images by its token service, and skopeo pulls them", async () => {
    const allowed = ["--allowed-origin", new URL(tokens.url).origin];
    await addGroup("token", "--username", "somebody", "--token-env", "WRONG_PASSWORD", ...allowed);
    expect((await json("target", "test", "token")).shown["status"]).toBe("unauthorized");
    await addGroup("token", ...LOGIN, ...allowed);
    expect((await json("target", "test", "token")).shown["status"]).toBe("ready");
    const { shown } = await json("promote", "token");
    expect([shown["state"], shown["reason"]]).toEqual(["released", undefined]);
    const anonymous = await fetch(`${registries.token.url}/v2/${REPOSITORY}/manifests/1.0`);
    expect(anonymous.status).toBe(401);
    const { username, password } = BASIC_USER;
    const pulled = await pull("token", "--src-creds", `${username}:${password}`);
    expect([pulled.code, pulled.output]).toEqual([0, expect.any(String)]);
    // Again, with what the first has completed.
    expect((await json("promote", "token")).shown["state"]).toBe("released");
  }, 120_000);
});
