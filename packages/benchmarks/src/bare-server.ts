// The peer of the read benchmarks: bare node:http with the same bytes and headers in memory.
// usage: node bare-server.ts PORT URL   (fetches URL once, with gzip, and serves what it got)
import { createServer, get } from "node:http";

const [port, url] = process.argv.slice(2);
if (port === undefined || url === undefined) throw new Error("usage: bare-server.ts PORT URL");

get(url, { headers: { "accept-encoding": "gzip" } }, (answer) => {
  void Array.fromAsync(answer).then((chunks: Buffer[]) => {
    const body = Buffer.concat(chunks);
    const headers = Object.fromEntries(
      Object.entries(answer.headers).filter(
        ([name]) => !["connection", "keep-alive", "date", "transfer-encoding"].includes(name),
      ),
    );
    createServer((_request, response) => {
      response.writeHead(200, headers);
      response.end(body);
    }).listen(Number(port), "127.0.0.1", () => process.stdout.write("ready\n"));
  });
});
