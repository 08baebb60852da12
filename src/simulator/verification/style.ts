/** One style sheet for all verification pages: system fonts, light and dark, from a phone's 320 px upwards. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f3f4f1; --card: #ffffff; --ink: #1b1f1d; --soft: #5c6560; --line: #e1e5e1;
  --good: #14693f; --good-ground: #e4f3ea; --warn: #8a5300; --warn-ground: #fdf1dc;
  --bad: #a3231f; --bad-ground: #fbe7e5; --none: #44505a; --none-ground: #e8ecef;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121513; --card: #1b1f1d; --ink: #e9edea; --soft: #9da8a1; --line: #2e3531;
    --good: #7fd6a4; --good-ground: #173124; --warn: #f0bd68; --warn-ground: #38290f;
    --bad: #f49b94; --bad-ground: #3c1c1a; --none: #b6c2cb; --none-ground: #262d32;
  }
}
* { box-sizing: border-box; margin: 0; }
body {
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; background: var(--ground); color: var(--ink);
  padding: 20px 16px 32px; min-height: 100vh;
}
main { max-width: 460px; margin: 0 auto; }
header { font-size: 14px; color: var(--soft); margin: 0 4px 12px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 16px; overflow: hidden; }
.verdict { display: flex; gap: 14px; align-items: center; padding: 20px; }
.verdict svg { flex: none; width: 44px; height: 44px; }
h1 { font-size: 21px; line-height: 1.25; }
.verdict p { font-size: 15px; color: var(--ink); margin-top: 2px; }
.good { background: var(--good-ground); } .good h1, .good svg { color: var(--good); }
.warn { background: var(--warn-ground); } .warn h1, .warn svg { color: var(--warn); }
.bad { background: var(--bad-ground); } .bad h1, .bad svg { color: var(--bad); }
.none { background: var(--none-ground); } .none h1, .none svg { color: var(--none); }
section { padding: 18px 20px; border-top: 1px solid var(--line); }
.total span { display: block; color: var(--soft); }
.total strong { font-size: 28px; line-height: 1.3; font-variant-numeric: tabular-nums; letter-spacing: -.01em; }
.seller { font-size: 18px; font-weight: 650; }
.seller, .total strong, td { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 7px 16px; font-size: 15px; }
.seller + dl { margin-top: 10px; }
dt { color: var(--soft); }
dd { text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; font-size: 15px; font-variant-numeric: tabular-nums; }
th { font-weight: 400; color: var(--soft); text-align: right; padding-bottom: 4px; }
td { text-align: right; padding: 3px 0 3px 10px; vertical-align: top; }
th + th { padding-left: 10px; }
th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: nowrap; }
.code { font: 600 18px/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; text-align: center; letter-spacing: .02em; }
.label { font-size: 13px; color: var(--soft); text-align: center; margin-bottom: 2px; }
ul { padding-left: 18px; font-size: 15px; }
li + li { margin-top: 4px; }
h2 { font-size: 15px; margin-bottom: 6px; }
footer { font-size: 13px; color: var(--soft); margin: 14px 4px 0; }
footer a { color: inherit; }
form { display: grid; gap: 14px; }
label { display: grid; gap: 4px; font-size: 14px; color: var(--soft); }
input, button { font: inherit; border-radius: 10px; padding: 11px 12px; width: 100%; min-width: 0; }
input { border: 1px solid var(--soft); background: var(--ground); color: var(--ink); }
button { border: 0; background: var(--good); color: var(--card); font-weight: 650; cursor: pointer; }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 3px solid var(--good); outline-offset: 2px; }
`;
