import type { MarkdownIt, RendererRule as Rule } from "markdown-it";
import newMarkdownIt from "markdown-it";

/** URL schemes that a readme may link to; other links become plain text. */
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
const REL = "nofollow noopener noreferrer";
/** The page itself contains the headings of levels 1 and 2. */
const FIRST_HEADING = 3;
const LAST_HEADING = 6;
const SLUG_LENGTH_MAX = 80;
const BREAK = /^<br\s*\/?>$/i;

type Rendering = {
  /** Closing tags of the open links. */
  readonly links: string[];
  readonly headings: string[];
  lastHeading: number;
  readonly slugs: Map<string, number>;
};

let prepared: MarkdownIt | undefined;

/**
 * Renders untrusted Markdown as safe HTML. Omits the author's HTML tags, links only to web and mail
 * addresses, and replaces images with links.
 */
export function renderMarkdown(text: string): string {
  const rendering: Rendering = {
    links: [],
    headings: [],
    lastHeading: FIRST_HEADING - 1,
    slugs: new Map(),
  };
  prepared ??= createMarkdown();
  return prepared.render(text, rendering);
}

function createMarkdown(): MarkdownIt {
  // The parser recognizes HTML so that the rules below can omit it.
  const made = newMarkdownIt("default", { html: true, linkify: true });
  // Only explicit URLs become links; "readme.md" and "a@b.c" stay text.
  made.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  // With the default check, unsafe links would appear as Markdown source.
  made.validateLink = () => true;
  Object.assign(made.renderer.rules, RULES);
  return made;
}

const openLink: Rule = (tokens, index, _options, env) => {
  const { links } = renderingOf(env);
  const address = linkTarget(attributeOf(tokens[index], "href"));
  const isInside = links.some((closing) => closing === "</a>");
  const opened = address !== undefined && !isInside;
  links.push(opened ? "</a>" : "");
  return opened ? `<a href="${escape(address)}" rel="${REL}">` : "";
};

const closeLink: Rule = (_tokens, _at, _options, env) => renderingOf(env).links.pop() ?? "";

/** Renders an image as a link, so that the page loads nothing from third parties. */
const image: Rule = (tokens, index, options, env) => {
  const token = tokens[index];
  const label = textOf(token?.children ?? [], options, env) || "image";
  const address = linkTarget(attributeOf(token, "src"));
  const isInside = renderingOf(env).links.some((closing) => closing === "</a>");
  const isLinked = address !== undefined && /^https?:/i.test(address) && !isInside;
  if (!isLinked) return `<span class="image">${escape(label)}</span>`;
  return `<a class="image" href="${escape(address)}" rel="${REL}">${escape(label)}</a>`;
};

function textOf(...inline: Parameters<MarkdownIt["renderer"]["renderInlineAsText"]>): string {
  return prepared?.renderer.renderInlineAsText(...inline).trim() ?? "";
}

/** Adjusts heading levels, so that no level is skipped. */
const openHeading: Rule = (tokens, index, _options, env) => {
  const rendering = renderingOf(env);
  const depth = Number(tokens[index]?.tag.slice(1) ?? 1) + FIRST_HEADING - 1;
  const level = Math.min(depth, rendering.lastHeading + 1, LAST_HEADING);
  rendering.lastHeading = level;
  rendering.headings.push(`</h${level}>\n`);
  const slug = uniqueSlug(tokens[index + 1]?.content ?? "", rendering.slugs);
  return slug === "" ? `<h${level}>` : `<h${level} id="${anchorOf(slug)}">`;
};

const closeHeading: Rule = (_tokens, _at, _options, env) => renderingOf(env).headings.pop() ?? "";

const fence: Rule = (tokens, index) => {
  const text = tokens[index]?.content ?? "";
  return `<pre><code>${escape(text)}</code></pre>\n`;
};

const RULES: MarkdownIt["renderer"]["rules"] = {
  link_open: openLink,
  link_close: closeLink,
  image,
  heading_open: openHeading,
  heading_close: closeHeading,
  fence,
  code_block: fence,
  // A wide table scrolls, also with the keyboard.
  table_open: () => '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>\n',
  table_close: () => "</table></div>\n",
  th_open: (tokens, index) => openCell("th", tokens[index]),
  td_open: (tokens, index) => openCell("td", tokens[index]),
  html_block: (tokens, index) => {
    const text = textOfHtml(tokens[index]?.content ?? "").trim();
    return text === "" ? "" : `<p>${escape(text)}</p>\n`;
  },
  html_inline: (tokens, index) => (BREAK.test(tokens[index]?.content ?? "") ? "<br>\n" : ""),
};

/** Uses a class for alignment, because the page's policy allows no inline style. */
function openCell(tag: "th" | "td", token: Parameters<Rule>[0][number] | undefined): string {
  const side = /^text-align:(left|center|right)$/.exec(attributeOf(token, "style"))?.[1];
  return side === undefined ? `<${tag}>` : `<${tag} class="to-${side}">`;
}

/** Returns the text content of HTML. */
function textOfHtml(html: string): string {
  if (/^\s*<(?:script|style)\b/i.test(html)) return "";
  return html.replaceAll(/<!--.*?(?:-->|$)/gs, "").replaceAll(/<[^>]*>/g, "");
}

function renderingOf(env: unknown): Rendering {
  return env as Rendering;
}

function attributeOf(token: Parameters<Rule>[0][number] | undefined, name: string): string {
  return String(token?.attrGet(name) ?? "");
}

/**
 * Returns the target of a safe link. Undefined for other schemes, and for relative links, because
 * the registry does not serve the files next to a readme.
 */
function linkTarget(href: string): string | undefined {
  if (href.startsWith("#")) {
    const slug = slugOf(decoded(href.slice(1)));
    return slug === "" ? undefined : `#${anchorOf(slug)}`;
  }
  const url = URL.parse(href);
  return url && SCHEMES.has(url.protocol) ? url.href : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The prefix prevents conflicts with element ids of the page. */
function anchorOf(slug: string): string {
  return `readme-${slug}`;
}

/** Derives an anchor like the large code hosts: "Getting started!" is `getting-started`. */
function slugOf(text: string): string {
  const start = text.slice(0, SLUG_LENGTH_MAX).trim().toLowerCase();
  return start.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(/\s/g, "-");
}

function uniqueSlug(text: string, slugs: Map<string, number>): string {
  const slug = slugOf(text);
  const times = slugs.get(slug) ?? 0;
  slugs.set(slug, times + 1);
  return times === 0 || slug === "" ? slug : `${slug}-${times}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
