import { expect, test } from 'vitest';
import { landingPage } from './landing-page.ts';

test('the first page leads to the console, the reference and health', () => {
  const page = landingPage(undefined);
  for (const address of ['/console', '/docs', '/docs/errors', '/health/ready'])
    expect(page).toContain(`href="${address}"`);
  expect(page).not.toContain('demo');
});

test('in the demo it names three things to try, and no secret', () => {
  const page = landingPage({ operatorEmail: 'operator@demo.example', controlUrl: 'http://127.0.0.1:3002/"<x>' });
  expect(page.match(/<li><strong>[A-Z]/g)).toHaveLength(3);
  expect(page).toContain('operator@demo.example');
  expect(page).toContain('http://127.0.0.1:3002/&quot;&lt;x&gt;/faults');
});
