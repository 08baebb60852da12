import { escapeHtml } from '../page/documentation-page.ts';

/** What the demo tells visitors of the first page. No secrets: the page is for anyone who can reach it. */
export interface DemoHints {
  readonly operatorEmail: string;
  readonly controlUrl: string;
}

const LINKS = [
  ['/console', 'Console', 'Devices, receipts, alerts: for the people who look after the tills'],
  ['/docs', 'API reference', 'Every request with an example that works'],
  ['/docs/guides', 'Guides', 'From zero to a signed receipt, and everything after it'],
  ['/docs/errors', 'Errors', 'Every code, its cause and its fix'],
  ['/health/ready', 'Health', 'Whether this process can do its work'],
] as const;

/** The page at `/`: what this is, where everything is, and in the demo what to try first. */
export function landingPage(demo: DemoHints | undefined): string {
  const links = LINKS.map(
    ([href, name, note]) => `<li><a href="${href}"><strong>${name}</strong><span>${note}</span></a></li>`,
  ).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tillseal</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body class="landing">
<main class="guide">
<header>
<img src="/docs/icon.svg" width="52" height="52" alt="">
<h1>Tillseal</h1>
<p class="lead">Signs fiscal receipts: checks each one against every rule of the tax authority, seals it into the chain of its device,
and hands it in. The shop keeps selling when the authority does not answer.</p>
</header>
<nav aria-label="Where to go"><ul>
${links}
</ul></nav>
${demo === undefined ? '' : firstSteps(demo)}
</main>
</body>
</html>
`;
}

function firstSteps({ operatorEmail, controlUrl }: DemoHints): string {
  return `<section>
<h2>This is a demo: three things to try</h2>
<ol>
<li><strong>Look around.</strong> <a href="/console">Log in to the console</a> as <code>${escapeHtml(operatorEmail)}</code>; the
password stands where the service was started, and in <code>demo.json</code> in its data folder.</li>
<li><strong>Sign a receipt.</strong> <a href="/console/try">Compose one</a>, leave an HS code out to see what an error looks
like, then send it right and print it.</li>
<li><strong>Take the authority away.</strong> Run
<pre tabindex="0">curl ${escapeHtml(controlUrl)}/faults \\
  -H 'Content-Type: application/json' -d '{"kind":"outage"}'</pre>
sign another, and watch the <a href="/console">overview</a>: it is sealed and waits. Bring the authority back with
<pre tabindex="0">curl -X DELETE ${escapeHtml(controlUrl)}/faults</pre></li>
</ol>
</section>`;
}
