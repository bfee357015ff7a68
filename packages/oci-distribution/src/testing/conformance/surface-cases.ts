import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { buildImage } from "../build-image.ts";
import type { ConformanceCase } from "./conversation.ts";
import { bytesOf, expectAnswer, pushImage, unknownDigest } from "./conversation.ts";

export const surfaceCases: readonly ConformanceCase[] = [
  {
    name: "serves repositories that are called like parts of the API",
    covers: "3.1",
    async run(registry) {
      for (const suffix of ["a/blobs/b", "x/manifests", "blobs/uploads", "tags/list"]) {
        const repository = registry.repository(suffix);
        const image = buildImage({ layers: [randomBytes(20)] });
        await pushImage(registry, repository, image, "1");
        const response = await registry.send(`/v2/${repository}/manifests/1`);
        assert.deepEqual(await bytesOf(response), Buffer.from(image.bytes));
        const tags = await registry.send(`/v2/${repository}/tags/list`);
        assert.deepEqual(await tags.json(), { name: repository, tags: ["1"] });
      }
    },
  },
  {
    name: "refuses repository names outside the grammar, and tricks with paths",
    covers: "3.1",
    async run(registry) {
      const { namespace } = registry.target;
      for (const name of [
        `${namespace}/UPPER`,
        `${namespace}%2Fencoded`,
        `${namespace}/nul%00`,
        `${namespace}/back%5Cslash`,
        `${namespace}/twice%252Fencoded`,
        `${namespace}/-dash`,
        `${namespace}//empty`,
        `${namespace}/${"long".repeat(64)}`,
      ]) {
        const response = await registry.send(`/v2/${name}/tags/list`);
        await expectAnswer(response, 400, "NAME_INVALID");
        const post = await registry.send(`/v2/${name}/blobs/uploads/`, { method: "POST" });
        await expectAnswer(post, 400, "NAME_INVALID");
      }
    },
  },
  {
    name: "answers 405 with Allow to methods a path does not have",
    covers: "3.3",
    async run(registry) {
      const repository = registry.repository();
      const wrong: readonly (readonly [string, string])[] = [
        ["PUT", "/v2/"],
        ["POST", "/v2/_catalog"],
        ["PATCH", `/v2/${repository}/manifests/1`],
        ["POST", `/v2/${repository}/blobs/${unknownDigest()}`],
        ["GET", `/v2/${repository}/blobs/uploads/`],
        ["POST", `/v2/${repository}/blobs/uploads/some-id`],
        ["DELETE", `/v2/${repository}/tags/list`],
        ["PUT", `/v2/${repository}/referrers/${unknownDigest()}`],
      ];
      for (const [method, path] of wrong) {
        const headers = await expectAnswer(
          await registry.send(path, { method }),
          405,
          "UNSUPPORTED",
        );
        assert.ok(headers.get("allow"), `${method} ${path} names what is allowed`);
      }
    },
  },
  {
    name: "answers 404 as JSON to paths the API does not have",
    covers: "3.3",
    async run(registry) {
      for (const path of ["/v2/a", "/v2/a/nothing/b", "/v2/_catalog/x"]) {
        await expectAnswer(await registry.send(path), 404, ["NAME_UNKNOWN", "UNSUPPORTED"]);
      }
    },
  },
  {
    name: "answers errors of HEAD without a body",
    covers: "3.3",
    async run(registry) {
      for (const path of [
        `/v2/${registry.repository()}/manifests/none`,
        `/v2/${registry.repository()}/blobs/${unknownDigest()}`,
        `/v2/${registry.repository()}/blobs/sha256:bad`,
      ]) {
        const response = await registry.send(path, { method: "HEAD" });
        assert.ok([400, 404].includes(response.status));
        assert.equal((await bytesOf(response)).length, 0);
      }
    },
  },
  {
    name: "says registry/2.0 on every answer",
    covers: "3.2",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      const [config] = image.blobs;
      assert.ok(config);
      await pushImage(registry, repository, image, "1");
      for (const path of [
        "/v2/",
        "/v2/_catalog",
        `/v2/${repository}/tags/list`,
        `/v2/${repository}/manifests/1`,
        `/v2/${repository}/manifests/none`,
        `/v2/${repository}/blobs/${config.digest}`,
        `/v2/${repository}/referrers/${image.digest}`,
      ]) {
        const response = await registry.send(path);
        assert.equal(response.headers.get("docker-distribution-api-version"), "registry/2.0", path);
        await response.body?.cancel();
      }
    },
  },
];
