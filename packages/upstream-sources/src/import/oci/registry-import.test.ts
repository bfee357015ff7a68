import { parseRepositoryName } from "@sealhouse/oci-distribution";
import {
  buildImage,
  buildIndex,
  createMemoryOciPorts,
  createMemoryTags,
} from "@sealhouse/oci-distribution/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openImageSource } from "../../sources/source-clients.ts";
import { testSource } from "../../testing/memory-parts.ts";
import { openScriptedImages } from "../../testing/scripted-images.ts";
import type { ImageFault, ScriptedImages } from "../../testing/scripted-images.ts";
import { importImages } from "./import-oci.ts";
import type { ImageSelection } from "./import-oci.ts";
import { openOciRegistry } from "./registry-repositories.ts";
import type { RegistryChoice } from "./registry-repositories.ts";
import type { OciImportOptions } from "./run-oci-import.ts";

let registry: ScriptedImages;
beforeEach(async () => {
  registry = await openScriptedImages();
});
afterEach(() => registry[Symbol.asyncDispose]());

const imageOf = (name: string) => buildImage({ config: `{"of":"${name}"}`, layers: [name] });

const answering =
  (path: string, status: number, body = ""): ImageFault =>
  (request, response) => {
    if (request.url?.startsWith(path) !== true) return false;
    response.writeHead(status, { "content-type": "application/json" }).end(body);
    return true;
  };

const catalogOf = (...repositories: readonly string[]) =>
  answering("/v2/_catalog", 200, JSON.stringify({ repositories }));

type Options = Partial<OciImportOptions> &
  Partial<RegistryChoice> &
  Pick<ImageSelection, "patterns" | "tags" | "into">;

/** A registry in memory that imports from the scripted one. */
function openTarget() {
  const memory = createMemoryOciPorts();
  const { tags: records } = createMemoryTags(memory.manifests);
  const ports = { ...memory, tags: records };
  const run = ({ namespace = "", names, patterns, tags, into, ...more }: Options = {}) => {
    const patience = { attemptsMax: 1, waitMaxMs: 0 };
    const client = openImageSource(testSource("oci", new URL(registry.url)), {
      patience,
      fetch: (url, init) => fetch(url, init),
    });
    const source = openOciRegistry(client, { namespace, names });
    return importImages(
      ports,
      { source, patterns, tags, into },
      {
        caller: { actor: "import" },
        dryRun: false,
        failFast: false,
        moveTags: false,
        maxBlobBytes: 10_000_000,
        signal: new AbortController().signal,
        concurrency: 2,
        onProgress: () => undefined,
        ...more,
      },
    );
  };
  const find = async (name: string, reference: string) =>
    (await memory.manifests.find(parseRepositoryName(name), reference))?.digest;
  return { memory, run, find };
}

test("imports the repositories of a catalog with all their tags", async () => {
  const [app, tool] = [imageOf("app"), imageOf("tool")];
  registry.put("team/app", app, "1.0", "latest");
  registry.put("tool", tool, "2.0");
  registry.fault = catalogOf("team/app", "tool");
  const target = openTarget();
  const report = await target.run();
  expect(report).toMatchObject({ imported: 3, failed: 0, isComplete: true });
  expect(await target.find("team/app", "latest")).toBe(app.digest);
  expect(await target.find("tool", "2.0")).toBe(tool.digest);
  const again = await target.run();
  expect(again).toMatchObject({ imported: 0, existing: 3, bytes: { moved: 0 } });
});

test.each<[string, Options, readonly string[]]>([
  ["a namespace", { namespace: "team" }, ["team/app:1.0", "team/app:2.0"]],
  ["names", { names: ["tool"] }, ["tool:1.0", "tool:2.0"]],
  ["patterns", { patterns: ["team/*"] }, ["team/app:1.0", "team/app:2.0"]],
  ["tags", { tags: ["2.*"] }, ["team/app:2.0", "tool:2.0", "teams/other:2.0"]],
  ["an exact tag", { tags: ["1.0", "x.y"] }, ["team/app:1.0", "tool:1.0", "teams/other:1.0"]],
])("imports the images that %s select", async (_, options, expected) => {
  const names = ["team/app", "tool", "teams/other"];
  for (const name of names) registry.put(name, imageOf(name), "1.0", "2.0");
  registry.fault = catalogOf(...names);
  const target = openTarget();
  await target.run(options);
  const found = [];
  for (const name of names) {
    for (const tag of ["1.0", "2.0"]) {
      if (await target.find(name, tag)) found.push(`${name}:${tag}`);
    }
  }
  expect(found).toEqual(expected);
});

test("puts repositories below a prefix", async () => {
  const app = imageOf("app");
  registry.put("team/app", app, "1.0");
  const target = openTarget();
  expect(await target.run({ names: ["team/app"], into: "mirror" })).toMatchObject({ imported: 1 });
  expect(await target.find("mirror/team/app", "1.0")).toBe(app.digest);
  const wrong = await target.run({ names: ["team/app"], into: "No Good" });
  expect(wrong).toMatchObject({ imported: 0, refused: 1 });
  expect(wrong.refusals[0]?.reason).toBe("It is not a valid repository name.");
});

test("imports an index with its images", async () => {
  const images = [imageOf("amd64"), imageOf("arm64")];
  const index = buildIndex(images);
  registry.put("team/multi", index, "1.0");
  for (const image of images) registry.put("team/multi", image);
  const target = openTarget();
  expect(await target.run({ names: ["team/multi"] })).toMatchObject({ imported: 1 });
  for (const { digest } of [index, ...images]) {
    expect(await target.find("team/multi", digest)).toBe(digest);
  }
});

test("moves a tag that points to another image only when asked to", async () => {
  const [first, second] = [imageOf("first"), imageOf("second")];
  registry.put("team/app", first, "latest");
  const target = openTarget();
  await target.run({ names: ["team/app"] });
  registry.put("team/app", second, "latest");
  for (const dryRun of [true, false]) {
    const kept = await target.run({ names: ["team/app"], dryRun });
    expect(kept).toMatchObject({ imported: 0, importable: 0, refused: 1 });
    expect(kept.refusals[0]?.reason).toBe(
      "latest points to another image in this registry; --move-tags moves the tag.",
    );
  }
  expect(await target.find("team/app", "latest")).toBe(first.digest);
  const planned = await target.run({ names: ["team/app"], moveTags: true, dryRun: true });
  expect(planned).toMatchObject({ importable: 1 });
  expect(await target.run({ names: ["team/app"], moveTags: true })).toMatchObject({ imported: 1 });
  expect(await target.find("team/app", "latest")).toBe(second.digest);
});

test("a dry run imports nothing, and asks for no blob", async () => {
  registry.put("team/app", imageOf("app"), "1.0");
  const target = openTarget();
  const report = await target.run({ names: ["team/app"], dryRun: true });
  expect(report).toMatchObject({ importable: 1, imported: 0 });
  expect(registry.requests.filter((line) => line.includes("/blobs/"))).toEqual([]);
  expect(await target.find("team/app", "1.0")).toBeUndefined();
});

test.each([401, 404, 405, 500])(
  "after the answer %i for a catalog, the namespace is the repository, or an error",
  async (status) => {
    const app = imageOf("app");
    registry.put("team/app", app, "1.0");
    registry.fault = answering("/v2/_catalog", status);
    const target = openTarget();
    const named = () => target.run({ namespace: "team/app" });
    const isOutage = status === 500;
    if (isOutage) await expect(named()).rejects.toThrow("500");
    else expect(await named()).toMatchObject({ imported: 1 });
    await expect(target.run()).rejects.toThrow(
      isOutage ? "500" : "List the repositories with --repositories.",
    );
  },
);

test("continues after an image that fails, and after a repository that fails", async () => {
  const [good, bad] = [imageOf("good"), imageOf("bad")];
  registry.put("team/app", good, "good");
  registry.put("team/app", bad, "bad");
  registry.put("tool", imageOf("tool"), "1.0");
  const [, layer] = bad.blobs;
  const broken = answering(`/v2/team/app/blobs/${layer?.digest}`, 500);
  const tagless = answering("/v2/lost/tags/list", 500);
  registry.fault = (...exchange) => broken(...exchange) || tagless(...exchange);
  const target = openTarget();
  const report = await target.run({ names: ["lost", "team/app", "tool"] });
  expect(report).toMatchObject({ imported: 2, failed: 2, isComplete: false });
  expect(report.failures.map(({ name }) => name).toSorted()).toEqual(["lost", "team/app:bad"]);
  expect(await target.find("team/app", "bad")).toBeUndefined();
});

test("takes no bytes with another digest", async () => {
  const app = imageOf("app");
  registry.put("team/app", app, "1.0");
  const [, layer] = app.blobs;
  const other = "x".repeat(layer?.bytes.length ?? 0);
  registry.fault = answering(`/v2/team/app/blobs/${layer?.digest}`, 200, other);
  const target = openTarget();
  const report = await target.run({ names: ["team/app"] });
  expect(report.imported + report.existing).toBe(0);
  expect(await target.find("team/app", "1.0")).toBeUndefined();
});

test("stops at the first complaint when asked to", async () => {
  registry.put("team/app", imageOf("app"), "1.0");
  const target = openTarget();
  const names = ["absent", "team/app"];
  registry.fault = answering("/v2/absent/tags/list", 200, '{"name":"absent","tags":["gone"]}');
  const report = await target.run({ names, failFast: true, concurrency: 1 });
  expect(report).toMatchObject({ imported: 0, failed: 1, isInterrupted: true });
});

test("stops on request, and reports what it has", async () => {
  for (const name of ["a", "b", "c"]) registry.put(name, imageOf(name), "1.0");
  const stop = new AbortController();
  const report = await openTarget().run({
    names: ["a", "b", "c"],
    concurrency: 1,
    signal: stop.signal,
    onProgress: () => stop.abort(new Error("stop")),
  });
  expect(report).toMatchObject({ imported: 1, isInterrupted: true });
});
