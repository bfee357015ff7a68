import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openSqliteFile } from "@sealhouse/database/testing";
import type { NewEvent } from "@sealhouse/events";
import { eventProblems } from "@sealhouse/events/schemas";
import { SMTPServer } from "smtp-server";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";
import { spawnHost, startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { parseIni, readManual, textsOf } from "./manual-page.ts";

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const SECRET = "a secret of the test";

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };

async function openReceiver() {
  const received: Received[] = [];
  let answer = (response: ServerResponse) => void response.writeHead(204).end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      answer(response);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: `http://127.0.0.1:${port}/hook`,
    answerWith: (other: typeof answer) => (answer = other),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A real SMTP server with a login, without TLS. */
async function openMailbox() {
  const mails: string[] = [];
  const server = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _session, done) => {
      const isKnown = username === "registry" && password === "a password";
      done(isKnown ? null : new Error("bad credentials"), { user: "registry" });
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        mails.push(Buffer.concat(chunks).toString());
        done();
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    mails,
    port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const PRIVATE = { Host__Webhooks__AllowPrivateAddresses: "true" };

test("the commands of webhooks.md work while a host runs", async () => {
  await using receiver = await openReceiver();
  await using host = await startHost({ env: PRIVATE });
  const page = await readManual("../../../docs/webhooks.md");
  const script = [
    "set -e",
    `sealhouse() { "${process.execPath}" "${MAIN}" "$@"; }`,
    ...textsOf(page, "sh"),
  ]
    .join("\n")
    .replaceAll("https://hooks.example/sealhouse", receiver.url)
    // Events of tokens are among those of the page.
    .replace("sealhouse webhook deliveries $ID --dead", () => {
      const created = "sealhouse token create --name pipeline > token.txt";
      return `${created}\nfor i in $(seq 40); do sealhouse webhook deliveries $ID | grep -q token.created && break; sleep 0.2; done`;
    });
  const env = { ...process.env, ...envOf(host.folder), ...PRIVATE };
  const { stdout } = await run("bash", ["-c", script], { cwd: host.folder, env });
  expect(stdout).toMatch(/delivered {2}status 204/);
  await vi.waitFor(() => {
    const types = receiver.received.map(({ headers }) => headers["x-sealhouse-event"]);
    expect(types).toContain("webhook.changed");
    expect(types).toContain("token.created");
  }, 10_000);
  expect(stdout).toMatch(/webhook\.changed {2}webhook\//);
});

test("the verifier of webhooks.md accepts genuine requests only", async () => {
  await using receiver = await openReceiver();
  await using host = await startHost({
    env: {
      ...PRIVATE,
      Host__Webhooks__Subscriptions__0__Url: receiver.url,
      Host__Webhooks__Subscriptions__0__Secret: SECRET,
      Host__Webhooks__Subscriptions__0__Events__0: "token.created",
    },
  });
  expect(host.output()).toMatch(/Subscriptions__0__Format to Legacy/);
  await host.makeToken();
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000);
  const [text = ""] = textsOf(await readManual("../../../docs/webhooks.md"), "js");
  const file = join(host.folder, "verify.mjs");
  await writeFile(file, text);
  const { isGenuine } = (await import(pathToFileURL(file).href)) as {
    readonly isGenuine: (headers: IncomingHttpHeaders, body: string, secret: string) => boolean;
  };
  const [{ headers, body } = { headers: {}, body: "" }] = receiver.received;
  expect(isGenuine(headers, body, SECRET)).toBe(true);
  expect(isGenuine(headers, `${body} `, SECRET)).toBe(false);
  expect(isGenuine(headers, body, "another")).toBe(false);
  const old = { ...headers, "x-sealhouse-timestamp": "1700000000" };
  expect(isGenuine(old, body, SECRET)).toBe(false);
  expect(JSON.parse(body)).toMatchObject({
    specversion: "1.0",
    type: "sealhouse.token.created",
    id: headers["x-sealhouse-delivery"],
  });
  const metrics = await (await host.fetch("/metrics")).text();
  expect(metrics).toContain('webhook_attempts_total{feed="default",outcome="delivered"} 1');
  await vi.waitFor(async () => {
    const later = await (await host.fetch("/metrics")).text();
    expect(later).toContain('event_queue_length{feed="default",queue="webhooks"} 0');
  }, 10_000);
});

test("a host that is killed after a request sends it again, with the same id", async () => {
  await using receiver = await openReceiver();
  await using kept = await spawnHost({ env: PRIVATE });
  const { folder } = kept;
  await kept.cli("webhook", "add", "--url", receiver.url, "--events", "token.created");
  const { promise: killed, resolve } = Promise.withResolvers<void>();
  receiver.answerWith(() => {
    void kept.kill().then(resolve);
  });
  await kept.makeToken();
  await killed;
  receiver.answerWith((response) => void response.writeHead(204).end());
  await using again = await startHost({ folder, env: PRIVATE });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), 30_000);
  const [first, second] = receiver.received;
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.body).toBe(first?.body);
  await vi.waitFor(async () => {
    const { stdout } = await again.cli("webhook", "deliveries", "--json");
    expect(JSON.parse(stdout)).toMatchObject([{ state: "delivered", attempts: 1 }]);
  }, 10_000);
}, 60_000);

test("old and new receivers with the library of the standard verify amid a rotation", async () => {
  await using receiver = await openReceiver();
  const [OLD, NEW] = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`);
  await using host = await startHost({ env: { ...PRIVATE, OLD: OLD ?? "", NEW: NEW ?? "" } });
  const words = ["--url", receiver.url, "--secret-env", "OLD", "--events", "token.*"];
  const [id = ""] = (await host.cli("webhook", "add", ...words)).stdout.trim().split("\n");
  const verified = () =>
    receiver.received.map(({ headers, body }) =>
      [OLD, NEW].map((secret) => isTaken(new Webhook(secret ?? ""), headers, body)).join(),
    );
  const before = host.makeToken();
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000);
  await before;
  const rotated = host.cli("webhook", "rotate", id, "--secret-env", "NEW");
  await Promise.all([rotated, host.makeToken()]);
  await host.makeToken();
  await vi.waitFor(() => expect(receiver.received).toHaveLength(3), 10_000);
  expect(verified()[0]).toBe("true,false");
  expect(verified().at(-1)).toBe("true,true");
  // Amid it, the former receiver has taken each.
  expect(verified().filter((pair) => !pair.startsWith("true"))).toEqual([]);
}, 60_000);

function isTaken(webhook: Webhook, headers: IncomingHttpHeaders, body: string): boolean {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  try {
    webhook.verify(body, Object.fromEntries(texts));
    return true;
  } catch {
    return false;
  }
}

test("a private address is refused, and the setting that allows it is named", async () => {
  await using receiver = await openReceiver();
  await using host = await startHost();
  const words = ["webhook", "add", "--url", receiver.url, "--include-private"];
  const closed = await host.cli(...words);
  expect(closed).toMatchObject({ code: 1, stdout: "" });
  expect(closed.stderr).toMatch(
    /private network\. To allow it: --allow-private-network, or Host__Webhooks__Allow\w+=true/,
  );
  const { stdout } = await host.cli(...words, "--Host:Webhooks:AllowPrivateAddresses=true");
  const [id = ""] = stdout.trim().split("\n");
  const listed = await host.cli("webhook", "list");
  expect(listed.stdout).toMatch(/includes private names {2}from the database/);
  const tested = await host.cli("webhook", "test", id);
  expect(tested.code).toBe(1);
  expect(tested.stdout).toContain("Host__Webhooks__AllowPrivateAddresses");
  expect(receiver.received).toEqual([]);
  const metadata = ["webhook", "add", "--url", "http://169.254.169.254/latest"];
  for (const option of [[], ["--allow-private-network"]]) {
    const refused = await host.cli(...metadata, ...option);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain("is an address of a cloud's metadata service");
  }
});

test("a webhook with --allow-private-network gets events of a private address", async () => {
  await using receiver = await openReceiver();
  await using host = await startHost();
  const words = ["webhook", "add", "--url", receiver.url, "--events", "token.created"];
  const added = await host.cli(...words, "--allow-private-network");
  const [id = ""] = added.stdout.trim().split("\n");
  expect((await host.cli("webhook", "list")).stdout).toContain("may be in a private network");
  await host.makeToken({ name: "first" });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 20_000);
  const closed = await host.cli("webhook", "allow-private-network", id, "--off");
  expect(closed).toMatchObject({ code: 0 });
  expect(closed.stderr).toMatch(/Deliveries to it fail: .*webhook allow-private-network /);
  const enabled = await host.cli("webhook", "enable", id);
  expect(enabled.stderr).toMatch(
    /is enabled[^]*Deliveries to it fail: .*webhook allow-private-network /,
  );
  await host.makeToken({ name: "second" });
  await vi.waitFor(async () => {
    const { stdout } = await host.cli("webhook", "deliveries", id);
    expect(stdout).toMatch(/in a private network.*webhook allow-private-network ID/);
  }, 20_000);
  expect(receiver.received).toHaveLength(1);
  const opened = await host.cli("webhook", "allow-private-network", id);
  expect(opened.stderr).toContain("may be in a private network");
  await host.cli("webhook", "replay", "2");
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), 20_000);
});

test("mail arrives once, the settings are those of mail.md, and all events fit", async () => {
  await using mailbox = await openMailbox();
  const [ini = ""] = textsOf(await readManual("../../../docs/mail.md"), "ini");
  const mail = {
    ...parseIni(ini),
    EmailSettings__Smtp__Host: "127.0.0.1",
    EmailSettings__Smtp__Port: String(mailbox.port),
    EmailSettings__Smtp__EnableSsl: "false",
  };
  await using host = await startHost({ env: mail });
  const first = await host.makeToken({ name: "first", expires: "10d" });
  await host.makeToken({ name: "second" });
  await vi.waitFor(() => expect(mailbox.mails).toHaveLength(1), 20_000);
  expect(mailbox.mails[0]).toMatch(/^To: platform@acme\.example/m);
  expect(mailbox.mails[0]).toMatch(/^Token: first/m);
  expect(mailbox.mails[0]).not.toContain(first);
  const tested = await host.cli("mail", "test");
  expect(tested).toMatchObject({ code: 0 });
  expect(mailbox.mails[1]).toMatch(/^Subject: \[Sealhouse\] Test/m);
  const listed = await host.cli("mail", "list");
  expect(listed.stdout).toMatch(/first-token {2}platform@acme\.example {2}sent/);
  await host.cli("user", "add", "ada", "--email", "ada@acme.example");
  await host.cli("user", "role", "ada", "administrator");
  await vi.waitFor(() => expect(mailbox.mails).toHaveLength(4), 20_000);
  const [, , ...roles] = mailbox.mails;
  expect(roles.flatMap((text) => /^To: (.*)$/m.exec(text)?.[1]?.trim() ?? [])).toEqual([
    "platform@acme.example",
    "ada@acme.example",
  ]);
  expect(roles[1]).toMatch(/^Role: administrator/m);
  await checkDeadLetters(host);
  const { stdout } = await host.cli("audit", "export");
  const records = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as NewEvent);
  expect(records.length).toBeGreaterThan(1);
  expect(records.flatMap(eventProblems)).toEqual([]);
});

/** Runs the commands of events.md for events that a consumer could not handle. */
async function checkDeadLetters(host: TestHost): Promise<void> {
  const commands = textsOf(await readManual("../../../docs/events.md"), "sh")
    .flatMap((block) => block.split("\n"))
    .filter((line) => line.startsWith("sealhouse event "));
  expect(commands).toEqual(["sealhouse event list", "sealhouse event list --dead"]);
  const list = async () => (await host.cli("event", "list", "--dead")).stdout;
  expect(await list()).toBe("");
  expect(await host.cli("event", "replay", "1")).toMatchObject({ code: 1 });
  const rows = openSqliteFile(join(host.folder, "sealhouse.db"));
  rows.exec(`insert into parked_events
    (consumer, event_id, type, subject, actor, at, attempts, error, parked_at)
    select name, event_id, type, subject, actor, at, 10, 'the disk is full', at
    from (select * from audit_log where type = 'token.created' limit 1),
      (select 'audit' as name union select 'gone')`);
  rows.close();
  const dead = await list();
  expect(dead).toMatch(/^\d+ {2}audit {2}token\.created .* dead {2}the disk is full$/m);
  const idOf = (consumer: string) =>
    new RegExp(`^(\\d+) {2}${consumer} `, "m").exec(dead)?.[1] ?? "";
  expect(await host.cli("event", "replay", idOf("audit"))).toMatchObject({ code: 0 });
  await vi.waitFor(async () => {
    expect((await host.cli("event", "list")).stdout).not.toContain(" audit ");
  }, 20_000);
  // Nothing handles the event of a consumer that the host does not have.
  expect(await list()).toContain(" gone ");
  expect(await host.cli("event", "remove", idOf("gone"))).toMatchObject({ code: 0 });
  expect(await list()).toBe("");
}

function envOf(folder: string): Readonly<Record<string, string>> {
  return { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder };
}
