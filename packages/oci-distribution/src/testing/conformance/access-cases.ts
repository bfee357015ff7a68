import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { blobOf, buildImage } from "../build-image.ts";
import type { ConformanceCase, Conversation, Send } from "./conversation.ts";
import {
  expectAnswer,
  locationOf,
  pushBlob,
  pushImage,
  requireCatalog,
  requireMount,
} from "./conversation.ts";

type TokenAnswer = {
  readonly token: string;
  readonly access_token: string;
  readonly expires_in: number;
  readonly issued_at: string;
  readonly refresh_token?: string;
};

/** Fields of a 401: realm, service, scope, error. */
function challengeIn(headers: Headers): Readonly<Record<string, string>> {
  const header = headers.get("www-authenticate") ?? "";
  assert.match(header, /^Bearer /);
  return Object.fromEntries(
    [...header.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
}

async function realmOf(anonymous: Send): Promise<{ path: string; service: string }> {
  const headers = await expectAnswer(await anonymous("/v2/"), 401);
  const { realm = "", service = "" } = challengeIn(headers);
  return { path: new URL(realm).pathname, service };
}

function partsOf({ target }: Conversation) {
  const { anonymous, credentials } = target;
  assert.ok(anonymous);
  const { username = "", password = "" } = credentials ?? {};
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  return { anonymous, username, password, basic };
}

/** Everyone may read the content that the cases push. */
function isPublic({ target }: Conversation): boolean {
  return target.publicNamespace === target.namespace;
}

async function tokenIn(response: Response): Promise<TokenAnswer> {
  assert.equal(response.status, 200);
  const answer = (await response.json()) as TokenAnswer;
  assert.ok(answer.token);
  assert.equal(answer.access_token, answer.token);
  assert.ok(answer.expires_in >= 60, "docker needs a minute at least");
  assert.ok(!Number.isNaN(Date.parse(answer.issued_at)));
  return answer;
}

function withToken(send: Send, token: string): Send {
  return (path, init) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${token}`);
    return send(path, { ...init, headers });
  };
}

function form(fields: Readonly<Record<string, string>>): RequestInit {
  return { method: "POST", body: new URLSearchParams(fields) };
}

export const accessCases: readonly ConformanceCase[] = [
  {
    name: "challenges an anonymous ping, without a scope",
    covers: "H1",
    needs: ["anonymous"],
    async run(registry) {
      const { anonymous } = partsOf(registry);
      for (const path of ["/v2/", "/v2"]) {
        const headers = await expectAnswer(await anonymous(path), 401, "UNAUTHORIZED");
        const challenge = challengeIn(headers);
        assert.match(challenge["realm"] ?? "", /^https?:\/\/.+/);
        assert.ok(challenge["service"]);
        assert.equal(challenge["scope"], undefined);
      }
    },
  },
  {
    name: "challenges with the scope that is needed",
    covers: "3.9",
    needs: ["anonymous"],
    async run(registry) {
      const { anonymous } = partsOf(registry);
      const repository = registry.repository();
      const read = ["GET", `/v2/${repository}/tags/list`, `repository:${repository}:pull`] as const;
      const requests: readonly (readonly [string, string, string])[] = [
        ...(isPublic(registry) ? [] : [read]),
        ["POST", `/v2/${repository}/blobs/uploads/`, `repository:${repository}:pull,push`],
        ["DELETE", `/v2/${repository}/manifests/1`, `repository:${repository}:delete`],
      ];
      for (const [method, path, scope] of requests) {
        const headers = await expectAnswer(await anonymous(path, { method }), 401, "UNAUTHORIZED");
        assert.equal(challengeIn(headers)["scope"], scope);
      }
    },
  },
  {
    name: "refuses a wrong password, a made-up bearer and a made-up refresh token",
    covers: "H2",
    needs: ["anonymous", "credentials"],
    async run(registry) {
      const { anonymous, username } = partsOf(registry);
      const { path, service } = await realmOf(anonymous);
      const wrong = `Basic ${Buffer.from(`${username}:wrong`).toString("base64")}`;
      const get = await anonymous(`${path}?service=${service}`, {
        headers: { authorization: wrong },
      });
      await expectAnswer(get, 401, "UNAUTHORIZED");
      const post = form({ grant_type: "password", service, username, password: "wrong" });
      await expectAnswer(await anonymous(path, post), 401, "UNAUTHORIZED");
      const refresh = form({ grant_type: "refresh_token", service, refresh_token: "made-up" });
      await expectAnswer(await anonymous(path, refresh), 401, "UNAUTHORIZED");
      const bearer = withToken(anonymous, "made-up");
      const headers = await expectAnswer(await bearer("/v2/"), 401, "UNAUTHORIZED");
      challengeIn(headers);
    },
  },
  {
    name: "knows credentials no more that were taken back",
    covers: "H2",
    needs: ["anonymous", "revoked"],
    async run(registry) {
      const { anonymous } = partsOf(registry);
      const { username = "", password = "" } = registry.target.revoked ?? {};
      const { path, service } = await realmOf(anonymous);
      const headers = {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
      };
      for (const url of [`${path}?service=${service}`, "/v2/"]) {
        await expectAnswer(await anonymous(url, { headers }), 401, "UNAUTHORIZED");
      }
    },
  },
  {
    name: "gives anonymous callers a token for public pulls, and for nothing else",
    covers: "H3",
    needs: ["anonymous", "publicNamespace"],
    async run(registry) {
      const { anonymous } = partsOf(registry);
      const { publicNamespace } = registry.target;
      const repository = `${publicNamespace}/${randomBytes(4).toString("hex")}`;
      await pushImage(registry, repository, buildImage({ layers: [randomBytes(20)] }), "1");
      const { path, service } = await realmOf(anonymous);
      const scope = encodeURIComponent(`repository:${repository}:pull,push`);
      const answer = await anonymous(`${path}?service=${service}&scope=${scope}`);
      const send = withToken(anonymous, (await tokenIn(answer)).token);
      await expectAnswer(await send("/v2/"), 200);
      await expectAnswer(await send(`/v2/${repository}/manifests/1`), 200);
      const push = await send(`/v2/${repository}/blobs/uploads/`, { method: "POST" });
      await expectAnswer(push, 401, "UNAUTHORIZED");
      if (isPublic(registry)) return;
      const hidden = await send(`/v2/${registry.repository()}/tags/list`);
      await expectAnswer(hidden, 401, "UNAUTHORIZED");
    },
  },
  {
    name: "reads several scopes, stars and names with a port, and grants what may be granted",
    covers: "H4",
    needs: ["anonymous", "credentials"],
    async run(registry) {
      const { anonymous, basic } = partsOf(registry);
      const { path, service } = await realmOf(anonymous);
      const [one, two] = [registry.repository("one"), registry.repository("two")];
      const scopes = [
        "repository:host:5000/a/b:pull",
        "registry:catalog:*",
        "nonsense",
        `repository:${one}:* repository:${two}:pull,push`,
      ];
      const query = scopes.map((scope) => `scope=${encodeURIComponent(scope)}`).join("&");
      const answer = await anonymous(`${path}?service=${service}&${query}`, {
        headers: { authorization: basic },
      });
      const send = withToken(anonymous, (await tokenIn(answer)).token);
      for (const repository of [one, two]) {
        const post = await send(`/v2/${repository}/blobs/uploads/`, { method: "POST" });
        await expectAnswer(post, 202);
      }
      const beyond = await send(`/v2/${registry.repository("three")}/blobs/uploads/`, {
        method: "POST",
      });
      const headers = await expectAnswer(beyond, 401, "UNAUTHORIZED");
      assert.equal(challengeIn(headers)["error"], "insufficient_scope");
    },
  },
  {
    name: "gives tokens by POST, for a password and for a refresh token",
    covers: "H5",
    needs: ["anonymous", "credentials"],
    async run(registry) {
      const { anonymous, username, password } = partsOf(registry);
      const { path, service } = await realmOf(anonymous);
      const scope = `repository:${registry.repository()}:pull,push`;
      const common = { service, scope, client_id: "conformance" };
      const grant = { grant_type: "password", username, password, access_type: "offline" };
      const first = await tokenIn(await anonymous(path, form({ ...common, ...grant })));
      assert.ok(first.refresh_token, "an offline token can be refreshed");
      const refresh = { grant_type: "refresh_token", refresh_token: first.refresh_token };
      const second = await tokenIn(await anonymous(path, form({ ...common, ...refresh })));
      for (const { token } of [first, second]) {
        const send = withToken(anonymous, token);
        const started = `/v2/${registry.repository()}/blobs/uploads/`;
        await expectAnswer(await send(started, { method: "POST" }), 202);
      }
      const unknown = await anonymous(path, form({ ...common, grant_type: "magic" }));
      await expectAnswer(unknown, 400);
    },
  },
  {
    name: "mounts with a token that opens the source, and asks for one that does",
    covers: "1.2/20",
    needs: ["anonymous", "credentials"],
    async run(registry) {
      const { anonymous, basic } = partsOf(registry);
      const { path, service } = await realmOf(anonymous);
      const [source, target] = [registry.repository("source"), registry.repository("target")];
      const { digest, bytes } = blobOf(randomBytes(20));
      await pushBlob(registry, source, { digest, bytes });
      const mountWith = async (scope: string) => {
        const query = `service=${service}&scope=${encodeURIComponent(scope)}`;
        const answer = await anonymous(`${path}?${query}`, { headers: { authorization: basic } });
        const send = withToken(anonymous, (await tokenIn(answer)).token);
        const mount = `/v2/${target}/blobs/uploads/?mount=${digest}&from=${source}`;
        return send(mount, { method: "POST" });
      };
      const refused = await mountWith(`repository:${target}:pull,push`);
      const challenge = challengeIn(await expectAnswer(refused, 401, "UNAUTHORIZED"));
      assert.equal(challenge["error"], "insufficient_scope");
      const both = `repository:${target}:pull,push repository:${source}:pull`;
      assert.equal(challenge["scope"], both);
      const mounted = await mountWith(both);
      requireMount(mounted);
      await expectAnswer(mounted, 201);
    },
  },
  {
    name: "does not tell a stranger what it cannot mount",
    covers: "H23",
    needs: ["stranger"],
    async run(registry) {
      const { stranger } = registry.target;
      assert.ok(stranger);
      const { digest, bytes } = blobOf(randomBytes(20));
      await pushBlob(registry, registry.repository(), { digest, bytes });
      const unknown = blobOf(randomBytes(20)).digest;
      const path = `/v2/${stranger.namespace}/app/blobs/uploads/`;
      for (const query of [
        `?mount=${digest}&from=${registry.repository()}`,
        `?mount=${digest}`,
        `?mount=${unknown}&from=${registry.repository()}`,
      ]) {
        const response = await stranger.fetch(`${path}${query}`, { method: "POST" });
        const headers = await expectAnswer(response, 202);
        assert.ok(locationOf(headers).includes("/blobs/uploads/"));
        assert.equal(headers.get("docker-content-digest"), null);
      }
    },
  },
  {
    name: "keeps a stranger out, and out of the catalog",
    covers: "H41",
    needs: ["stranger"],
    async run(registry) {
      const { stranger } = registry.target;
      assert.ok(stranger);
      const repository = registry.repository();
      await pushImage(registry, repository, buildImage({ layers: [randomBytes(20)] }), "1");
      const { status } = await stranger.fetch(`/v2/${repository}/manifests/1`);
      assert.ok([401, 403, 404].includes(status), `the stranger got ${status}`);
      const response = await stranger.fetch("/v2/_catalog?n=10000");
      requireCatalog(response);
      assert.equal(response.status, 200);
      const { repositories } = (await response.json()) as { repositories: string[] };
      assert.ok(!repositories.includes(repository));
    },
  },
];
