export { parseListenAddresses } from "./listen-addresses.ts";
export { parseHttpServer } from "./parse-http-server.ts";
export type { HttpServerConfig } from "./parse-http-server.ts";
export { checkPublicUrls, parsePublicUrls, publicUrlWarnings } from "./public-urls.ts";
export { HTTP_SERVER_SETTINGS } from "./table.ts";
