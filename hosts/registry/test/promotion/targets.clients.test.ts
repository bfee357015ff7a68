import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extendedTest, spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { npmArtifact, ociArtifact } from "../artifacts.ts";
import { makeServerCertificate } from "../clients/certificate-authority.ts";
import { hasClient, openFolder, run } from "../clients/client.ts";
import { BASIC_USER, startDockerRegistry } from "../clients/docker-registry.ts";
import type { DockerRegistry } from "../clients/docker-registry.ts";
import { createDotnetClient } from "../clients/dotnet-client.ts";
import { findTool, runTool } from "../clients/oci-tools.ts";
import { commandOf } from "../npm-clients/installed-clients.ts";
import { installedVerdaccio, startVerdaccio } from "./verdaccio.ts";
import type { Verdaccio } from "./verdaccio.ts";

// From a development registry to a production registry over https, and from there to products of
// others; real clients install from the last in the row.

const CONTENT = new Uint8Array(20_000).fill(7);
const MODULE = npmArtifact("acme-bar", CONTENT);
const IMAGE = ociArtifact("team/app", CONTENT);
const PACKAGE = Buffer.from(
  buildNupkg({ id: "Acme.Core", version: "1.0.0", files: { "lib/netstandard2.0/_._": "" } }),
);

const npm = commandOf("npm-12");
const verdaccioProgram = await installedVerdaccio();
const hasAll = hasClient("docker-registry") && hasClient("dotnet") && npm && verdaccioProgram;

describe.skipIf(!hasAll)("registries in a row", () => {
  const cleanUp = new AsyncDisposableStack();
  let folder: string;
  let dev: TestHost;
  let prod: TestHost;
  let authority: string;
  let verdaccio: Verdaccio;
  let docker: DockerRegistry;

  beforeAll(async () => {
    folder = cleanUp.use(await openFolder()).path;
    const tls = await makeServerCertificate(folder);
    ({ authority } = tls);
    docker = cleanUp.use(await startDockerRegistry({ wantsBasic: true }));
    verdaccio = cleanUp.use(
      await startVerdaccio(verdaccioProgram ?? "", join(folder, "verdaccio")),
    );
    const env = {
      Signing__TimestampServerUrl: "",
      Kestrel__Certificates__Default__Path: tls.certificate,
      Kestrel__Certificates__Default__KeyPath: tls.key,
      NPM_TARGET_TOKEN: verdaccio.token,
      DOCKER_PASSWORD: BASIC_USER.password,
    };
    const https = { scheme: "https", authority, env } as const;
    prod = cleanUp.use(await spawnHost({ folder: join(folder, "prod"), ...https }));
    const token = await prod.makeToken({ scopes: "write,delete" });
    dev = cleanUp.use(
      await spawnHost({ folder: join(folder, "dev"), env: { TARGET_TOKEN: token } }),
    );
    const own = await dev.makeToken({ scopes: "write" });
    for (const artifact of [MODULE, IMAGE]) expect(await artifact.push(dev, own)).toBe(true);
    const headers = { "x-nuget-apikey": own, "content-type": "application/octet-stream" };
    const put = { method: "PUT", headers, body: PACKAGE };
    expect((await dev.fetch("/api/v2/package/", put)).status).toBe(201);
  }, 240_000);
  afterAll(() => cleanUp.disposeAsync());

  /** Runs a command that must succeed. */
  async function ok(host: TestHost, ...words: readonly string[]) {
    const done = await host.cli(...words);
    expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
    return done.stdout;
  }

  async function addTarget(host: TestHost, name: string, ...words: readonly string[]) {
    await ok(host, "target", "add", name, "--allow-private-network", ...words);
    await ok(host, "target", "test", name);
  }

  async function promote(host: TestHost, group: string, ...words: readonly string[]) {
    const { state, id } = JSON.parse(await ok(host, "promote", group, "--json", ...words)) as {
      state: string;
      id: string;
    };
    expect(state).toBe("released");
    return id;
  }

  test("go to a second Sealhouse over https, where dotnet restores", async () => {
    for (const [protocol, path] of [
      ["nuget", "/v3/index.json"],
      ["npm", "/npm/"],
      ["oci", "/mirror"],
    ] as const) {
      const place = ["--protocol", protocol, "--endpoint", `${prod.url}${path}`];
      const user = protocol === "oci" ? ["--username", "ci"] : [];
      const trust = ["--token-env", "TARGET_TOKEN", "--ca-path", authority];
      await addTarget(dev, `prod-${protocol}`, ...place, ...trust, ...user);
    }
    const members = ["nuget:Acme.Core", "npm:acme-bar", "oci:team/app"];
    const targets = ["prod-nuget", "prod-npm", "prod-oci"];
    await ok(dev, "group", "add", "web", "--member", ...members, "--target", ...targets);
    await promote(dev, "web");

    const source = `${prod.url}/v3/index.json`;
    const home = join(folder, "dotnet");
    const env = { SSL_CERT_FILE: authority };
    const dotnet = await createDotnetClient({ folder: home, source, env });
    const project = await dotnet.consumer({ id: "Acme.Core", version: "1.0.0" });
    const restored = await dotnet.run(["restore"], project);
    expect([restored.code, restored.output]).toEqual([0, expect.any(String)]);
  }, 180_000);

  test("go on to Verdaccio, where npm installs", async () => {
    const place = ["--protocol", "npm", "--endpoint", verdaccio.url];
    await addTarget(prod, "verdaccio", ...place, "--token-env", "NPM_TARGET_TOKEN");
    await ok(prod, "group", "add", "npm", "--member", "npm:acme-bar", "--target", "verdaccio");
    await promote(prod, "npm");
    const tags = await fetch(`${verdaccio.url}/-/package/acme-bar/dist-tags`);
    expect(await tags.json()).toEqual({ latest: "1.0.0" });

    const project = join(folder, "npm-project");
    await mkdir(project);
    await writeFile(join(project, "package.json"), '{ "private": true }');
    const [program = "", ...first] = npm ?? [];
    const args = [...first, "install", "acme-bar", "--registry", verdaccio.url];
    const env = { HOME: project, npm_config_cache: join(project, "cache") };
    const installed = await run(program, args, { cwd: project, env });
    expect([installed.code, installed.output]).toEqual([0, expect.any(String)]);
    const lock = await readFile(join(project, "package-lock.json"), "utf8");
    expect(lock).toContain('"node_modules/acme-bar"');
    // Verdaccio refuses the same version again, so nothing is published.
    await promote(prod, "npm");
  }, 180_000);

  extendedTest(
    "go on to docker-registry, which gets a lost layer again",
    async () => {
      const place = ["--protocol", "oci", "--endpoint", `${docker.url}/last`];
      const login = ["--username", BASIC_USER.username, "--token-env", "DOCKER_PASSWORD"];
      await addTarget(prod, "docker", ...place, ...login);
      const member = ["--member", "oci:mirror/team/app"];
      await ok(prod, "group", "add", "images", ...member, "--target", "docker");
      await promote(prod, "images");
      const { username, password } = BASIC_USER;
      const basic = Buffer.from(`${username}:${password}`).toString("base64");
      const headers = { authorization: `Basic ${basic}` };
      const at = `${docker.url}/v2/last/mirror/team/app`;
      const accept = "application/vnd.oci.image.manifest.v1+json";
      const manifest = await fetch(`${at}/manifests/1.0`, { headers: { ...headers, accept } });
      const { layers } = (await manifest.json()) as { layers: readonly { digest: string }[] };
      const layer = `${at}/blobs/${layers[0]?.digest}`;
      const lose = async () => {
        expect((await fetch(layer, { method: "DELETE", headers })).status).toBe(202);
        expect((await fetch(layer, { method: "HEAD", headers })).status).toBe(404);
      };
      const isThere = async () => (await fetch(layer, { method: "HEAD", headers })).status === 200;

      await lose();
      // The manifest is under its tag already, and an earlier release completed it.
      await promote(prod, "images", "--verify");
      expect(await isThere()).toBe(true);
      await lose();
      await fetch(`${at}/manifests/1.0`, {
        method: "PUT",
        headers: { ...headers, "content-type": accept },
        body: await otherManifest(at, headers),
      });
      await promote(prod, "images");
      expect(await isThere()).toBe(true);

      const skopeo = await findTool("skopeo");
      if (!skopeo) return;
      const image = `docker://${at.slice("http://".length).replace("/v2/", "/")}:1.0`;
      const words = ["copy", "--src-tls-verify=false", "--src-creds", `${username}:${password}`];
      const out = `dir:${join(folder, "image")}`;
      const copied = await runTool(skopeo, ["--insecure-policy", ...words, image, out]);
      expect([copied.code, copied.output]).toEqual([0, expect.any(String)]);
    },
    180_000,
  );

  test.each(["cosign-2", "cosign-3"] as const)(
    "%s verifies the statements",
    async (name) => {
      const cosign = await findTool(name);
      if (!cosign) return;
      const [newest] = JSON.parse(await ok(dev, "release", "list", "--group", "web", "--json")) as {
        id: string;
      }[];
      const out = join(folder, name);
      await mkdir(out);
      await ok(dev, "release", "export", newest?.id ?? "", "--out", out);
      const file = (named: string) => join(out, named);
      await writeFile(file("package"), PACKAGE);
      await writeFile(file("other"), "other");
      const key = ["--key", file("release.pub"), "--insecure-ignore-tlog"];
      const verify = async (...words: readonly string[]) => {
        const { code, output } = await runTool(cosign, words, { env: { HOME: out } });
        return [code, output];
      };
      const good = [0, expect.stringContaining("Verified OK")];
      const signature = ["--signature", file("release.json.sig")];
      expect(await verify("verify-blob", ...key, ...signature, file("release.json"))).toEqual(good);
      // Version 2 takes the envelope, version 3 the bundle around it.
      const envelope =
        name === "cosign-2"
          ? ["--signature", file("release.dsse.json")]
          : ["--bundle", file("release.sigstore.json")];
      const type = ["--type", "urn:sealhouse:release:v1"];
      const attested = ["verify-blob-attestation", ...key, ...envelope, ...type];
      expect(await verify(...attested, file("package"))).toEqual(good);
      expect((await verify(...attested, file("other")))[0]).not.toBe(0);
      // Version 2 reads the bundle of an image only with a root that it downloads.
      if (name === "cosign-2") return;
      const image = `${new URL(prod.url).host}/mirror/team/app:1.0`;
      const attached = ["verify-attestation", ...key, "--registry-cacert", authority];
      const verified = expect.stringContaining("verified against the specified public key");
      expect(await verify(...attached, ...type, image)).toEqual([0, verified]);
      const other = await verify(...attached, "--type", "urn:sealhouse:release:v2", image);
      expect(other[0]).not.toBe(0);
    },
    120_000,
  );

  /** An image without layers, for a tag that others moved. */
  async function otherManifest(at: string, headers: Record<string, string>): Promise<string> {
    const digest = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    const opened = await fetch(`${at}/blobs/uploads/`, { method: "POST", headers });
    const session = new URL(opened.headers.get("location") ?? "", docker.url);
    session.searchParams.set("digest", digest);
    await fetch(session, { method: "PUT", headers, body: "{}" });
    const mediaType = "application/vnd.oci.image.config.v1+json";
    return JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: { mediaType, digest, size: 2 },
      layers: [],
    });
  }
});
