import type { Consumer } from "@sealhouse/events";
import type { CatalogPorts } from "@sealhouse/nuget-protocol/package";

/** Writes the NuGet catalog from the events. Disposal lets the item in hand go: its events come
 * again at the next start. */
export function openCatalogConsumer(ports: CatalogPorts): Consumer & Disposable {
  const stop = new AbortController();
  return {
    name: "nuget-catalog",
    async handle(events) {
      const concerning = events.filter(({ subject }) => subject.startsWith("nuget/"));
      if (concerning.length === 0) return;
      // Reads manifests, which nobody needs who only starts.
      const { writeCatalog } = await import("@sealhouse/nuget-protocol/package");
      await writeCatalog(ports, concerning, stop.signal);
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}
