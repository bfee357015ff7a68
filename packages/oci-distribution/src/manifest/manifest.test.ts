import * as fc from "fast-check";
import { expect, test } from "vitest";
import { digestOf } from "../digest.ts";
import { OciError } from "../errors.ts";
import { parseRepositoryName } from "../repository-name.ts";
import {
  DOCKER_LIST,
  DOCKER_MANIFEST,
  OCI_INDEX,
  OCI_MANIFEST,
  blobOf,
  buildImage,
  buildIndex,
  describe,
} from "../testing/build-image.ts";
import { recordManifest } from "./record-manifest.ts";
import { MAX_ANNOTATIONS, parseManifest, requireFewAnnotations } from "./manifest.ts";

const config = describe("application/vnd.oci.image.config.v1+json", blobOf("{}"));
const layer = describe("application/vnd.oci.image.layer.v1.tar", blobOf("layer"));
const image = { schemaVersion: 2, config, layers: [layer] };
const index = { schemaVersion: 2, manifests: [layer] };

function parse(content: unknown, contentType: string | undefined = OCI_MANIFEST) {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return parseManifest(Buffer.from(text), contentType);
}

test("reads the references of an image", () => {
  const { digest, size } = layer;
  expect(parse(image)).toEqual({
    mediaType: OCI_MANIFEST,
    kind: "image",
    artifactType: config.mediaType,
    edges: [
      { digest: config.digest, size: config.size, kind: "config" },
      { digest, size, kind: "layer" },
    ],
  });
});

test("reads the references of an index", () => {
  const child = buildImage();
  const { bytes } = buildIndex([child, child], { annotations: { b: "2", a: "1" } });
  expect(parseManifest(bytes, OCI_INDEX)).toEqual({
    mediaType: OCI_INDEX,
    kind: "index",
    annotations: '{"b":"2","a":"1"}',
    edges: [{ digest: child.digest, size: child.bytes.length, kind: "child" }],
  });
});

test.each([
  [OCI_MANIFEST, image, OCI_MANIFEST],
  [`${OCI_MANIFEST}; charset=utf-8`, image, OCI_MANIFEST],
  [DOCKER_MANIFEST, { ...image, mediaType: DOCKER_MANIFEST }, DOCKER_MANIFEST],
  [DOCKER_LIST, index, DOCKER_LIST],
  [undefined, { ...index, mediaType: DOCKER_LIST }, DOCKER_LIST],
  [undefined, image, OCI_MANIFEST],
  [undefined, index, OCI_INDEX],
])("takes Content-Type %s", (contentType, content, expected) => {
  const bytes = Buffer.from(JSON.stringify(content));
  expect(parseManifest(bytes, contentType).mediaType).toBe(expected);
});

test.each([
  ["no layers", { ...image, layers: [] }, OCI_MANIFEST, 1],
  ["no children", { ...index, manifests: [] }, OCI_INDEX, 0],
  ["children that Go wrote as null", { ...index, manifests: null }, OCI_INDEX, 0],
  ["one layer twice", { ...image, layers: [layer, layer] }, OCI_MANIFEST, 2],
  ["one digest as config and layer", { ...image, layers: [config] }, OCI_MANIFEST, 2],
])("takes a manifest with %s", (_, content, type, edges) => {
  expect(parse(content, type).edges).toHaveLength(edges);
});

test.each([
  "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip",
  "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
])("lets a layer of type %s be absent", (mediaType) => {
  const { edges } = parse({ ...image, layers: [{ ...layer, mediaType }] });
  expect(edges.map(({ kind }) => kind)).toEqual(["config", "foreign"]);
});

test("reads subject and artifact type, falling back to the config's type for images only", () => {
  const subject = buildImage().descriptor;
  expect(parse({ ...image, subject, artifactType: "a/b" })).toMatchObject({
    subject: subject.digest,
    artifactType: "a/b",
  });
  expect(parse({ ...image, subject, artifactType: "" }).artifactType).toBe(config.mediaType);
  expect(parse({ ...index, subject }, OCI_INDEX)).not.toHaveProperty("artifactType");
});

test("takes data that matches its descriptor", () => {
  const data = Buffer.from("{}").toString("base64");
  expect(parse({ ...image, config: { ...config, data } }).edges).toHaveLength(2);
});

const deep = `{"schemaVersion":2,"x":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`;

test.each([
  ["text", "hello", undefined],
  ["a list", [], undefined],
  ["null", "null", undefined],
  ["nothing", "", undefined],
  ["broken UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), undefined],
  ["a byte order mark", `\uFEFF${JSON.stringify(image)}`, undefined],
  ["schema 1", { ...image, schemaVersion: 1, fsLayers: [] }, undefined],
  ["a schema version in quotes", { ...image, schemaVersion: "2" }, undefined],
  ["an unknown type", image, "application/json"],
  ["a type that differs inside", { ...image, mediaType: DOCKER_MANIFEST }, undefined],
  ["a type that is no string", { ...image, mediaType: 2 }, undefined],
  ["an image with manifests", { ...image, manifests: [] }, undefined],
  ["an index with layers", { ...index, layers: [] }, OCI_INDEX],
  ["an index with config", { ...index, config }, OCI_INDEX],
  ["no config", { schemaVersion: 2, layers: [] }, undefined],
  ["no list of layers", { schemaVersion: 2, config }, undefined],
  ["layers that Go wrote as null", { schemaVersion: 2, config, layers: null }, undefined],
  ["no list of children", { schemaVersion: 2 }, OCI_INDEX],
  ["a bad digest", { ...image, config: { ...config, digest: "sha256:x" } }, undefined],
  ["a negative size", { ...image, config: { ...config, size: -1 } }, undefined],
  ["a broken size", { ...image, config: { ...config, size: 1.5 } }, undefined],
  ["no media type", { ...image, layers: [{ ...layer, mediaType: undefined }] }, undefined],
  ["two sizes of one digest", { ...image, layers: [layer, { ...layer, size: 1 }] }, undefined],
  ["foreign data", { ...image, config: { ...config, data: "eHg=" } }, undefined],
  ["data that is no base64", { ...image, config: { ...config, data: "e30" } }, undefined],
  ["a subject that is no descriptor", { ...image, subject: "x" }, undefined],
  ["an artifact type that is no string", { ...image, artifactType: {} }, undefined],
  ["annotations that are no strings", { ...image, annotations: { a: 1 } }, undefined],
  ["annotations in a list", { ...image, annotations: ["a"] }, undefined],
  ["too many layers", { ...image, layers: Array.from({ length: 10_001 }, () => 0) }, undefined],
  ["a million brackets", deep, undefined],
])("refuses %s", (_, content, contentType) => {
  const bytes = Buffer.isBuffer(content)
    ? content
    : Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
  const refusal = expect(() => parseManifest(bytes, contentType ?? OCI_MANIFEST));
  refusal.toThrow(OciError);
  refusal.toThrow(/^manifest invalid: /);
});

test("does not take __proto__ for a field", () => {
  const text = `{"schemaVersion":2,"__proto__":${JSON.stringify(image)}}`;
  expect(() => parse(text)).toThrow(OciError);
  expect(digestOf(Buffer.from(text))).toMatch(/^sha256:/);
});

test("throws nothing but refusals, whatever a manifest holds", () => {
  const fields = fc.record(
    {
      schemaVersion: fc.constant(2),
      mediaType: fc.oneof(fc.constantFrom(OCI_MANIFEST, OCI_INDEX), fc.jsonValue()),
      config: fc.oneof(fc.constant(config), fc.jsonValue()),
      layers: fc.oneof(fc.array(fc.oneof(fc.constant(layer), fc.jsonValue())), fc.jsonValue()),
      manifests: fc.jsonValue(),
      subject: fc.jsonValue(),
      annotations: fc.jsonValue(),
      artifactType: fc.jsonValue(),
    },
    { requiredKeys: ["schemaVersion"] },
  );
  fc.assert(
    fc.property(fields, fc.constantFrom(OCI_MANIFEST, OCI_INDEX, undefined), (content, type) => {
      try {
        parseManifest(Buffer.from(JSON.stringify(content)), type);
      } catch (error) {
        expect(error).toBeInstanceOf(OciError);
      }
    }),
  );
});

test("a push may have 1,000 annotations, and what is not pushed more", () => {
  const annotated = (count: number) =>
    parse({
      ...image,
      annotations: Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, ""])),
    });
  expect(() => requireFewAnnotations(annotated(MAX_ANNOTATIONS))).not.toThrow();
  expect(() => requireFewAnnotations(annotated(MAX_ANNOTATIONS + 1))).toThrow(
    "manifest invalid: it has 1001 annotations, and may have 1000",
  );
});

test("a push to a repository with all its tags is refused with advice", async () => {
  const { kind: _, ...manifest } = parse(image);
  const repository = parseRepositoryName("acme/app");
  const bytes = Buffer.from("{}");
  const pushed = { ...manifest, repository, digest: digestOf(bytes), bytes, tags: ["next"] };
  const catalog = { record: async () => ({ status: "tags-full" }) as const };
  await expect(
    recordManifest(catalog, { ...pushed, tagsMax: 100_000 }, { actor: "ada" }),
  ).rejects.toMatchObject({
    status: 403,
    message: expect.stringMatching(/acme\/app has 100000 tags.*delete some/),
  });
});
