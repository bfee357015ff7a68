import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import type { SMTPServerOptions } from "smtp-server";

/** A mail that arrived. */
export type Arrived = {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
};

/** Opens a real SMTP server that keeps what it takes: user `u`, password `p`, STARTTLS. */
export async function openSmtpSink(options: SMTPServerOptions = {}) {
  const arrived: Arrived[] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      if (auth.username === "u" && auth.password === "p") done(null, { user: "u" });
      else done(new Error("bad credentials"));
    },
    onRcptTo({ address }, _session, done) {
      if (!address.startsWith("unknown")) return done();
      done(Object.assign(new Error("no such user"), { responseCode: 550 }));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        const to = rcptTo.map(({ address }) => address);
        arrived.push({ from, to, text: Buffer.concat(chunks).toString() });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    arrived,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
