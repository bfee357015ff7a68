type Weights = Readonly<Record<string, number>>;

const ATTACK_VECTOR: Weights = { N: 0.85, A: 0.62, L: 0.55, P: 0.2 };
const ATTACK_COMPLEXITY: Weights = { L: 0.77, H: 0.44 };
const PRIVILEGES: Weights = { N: 0.85, L: 0.62, H: 0.27 };
const PRIVILEGES_CHANGED: Weights = { N: 0.85, L: 0.68, H: 0.5 };
const USER_INTERACTION: Weights = { N: 0.85, R: 0.62 };
const IMPACT: Weights = { H: 0.56, L: 0.22, N: 0 };

const VECTOR_LENGTH_MAX = 512;

/**
 * Returns the base score, 0 to 10, of a CVSS 3.0 or 3.1 vector. For 4.0, it applies the 3.1 formula
 * to the common metrics. That is precise enough for four severities, and used only when the source
 * names none. Undefined for any other text.
 */
export function cvssBaseScore(vector: string): number | undefined {
  if (vector.length > VECTOR_LENGTH_MAX) return undefined;
  const [version, ...metrics] = vector.split("/");
  const metricValues = new Map(metrics.map((metric) => split(metric)));
  if (version === "CVSS:4.0") return scoreOf(asVersion3(metricValues));
  return version === "CVSS:3.0" || version === "CVSS:3.1" ? scoreOf(metricValues) : undefined;
}

/** CVSS 3.1 section 7.1. */
function scoreOf(metrics: ReadonlyMap<string, string>): number | undefined {
  const weigh = (metric: string, weights: Weights) => {
    const value = metrics.get(metric);
    return value !== undefined && Object.hasOwn(weights, value) ? weights[value] : undefined;
  };
  const isChanged = metrics.get("S") === "C";
  const reach = [
    weigh("AV", ATTACK_VECTOR),
    weigh("AC", ATTACK_COMPLEXITY),
    weigh("PR", isChanged ? PRIVILEGES_CHANGED : PRIVILEGES),
    weigh("UI", USER_INTERACTION),
  ];
  const losses = ["C", "I", "A"].map((metric) => weigh(metric, IMPACT));
  if (![...reach, ...losses].every((weight) => weight !== undefined)) return undefined;
  const exploitability = reach.reduce<number>((product, weight) => product * (weight ?? 0), 8.22);
  const remainder = losses.reduce<number>((product, loss) => product * (1 - (loss ?? 0)), 1);
  const base = 1 - remainder;
  const impact = isChanged ? 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 : 6.42 * base;
  if (impact <= 0) return 0;
  return roundUp(Math.min((isChanged ? 1.08 : 1) * (impact + exploitability), 10));
}

/** Rounds up to one decimal without errors of binary fractions (appendix A of CVSS 3.1). */
function roundUp(score: number): number {
  const scaled = Math.round(score * 100_000);
  return scaled % 10_000 === 0 ? scaled / 100_000 : (Math.floor(scaled / 10_000) + 1) / 10;
}

function asVersion3(metrics: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const valueOf = (metric: string) => metrics.get(metric) ?? "";
  const spreads = ["SC", "SI", "SA"].some((metric) => !["", "N"].includes(valueOf(metric)));
  return new Map([
    ["AV", valueOf("AV")],
    ["AC", valueOf("AT") === "P" ? "H" : valueOf("AC")],
    ["PR", valueOf("PR")],
    ["UI", valueOf("UI") === "N" ? "N" : "R"],
    ["S", spreads ? "C" : "U"],
    ["C", valueOf("VC")],
    ["I", valueOf("VI")],
    ["A", valueOf("VA")],
  ]);
}

function split(metric: string): [string, string] {
  const [name = "", value = ""] = metric.split(":");
  return [name, value];
}
