import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The one accent colour; the seal on every receipt has it. */
const seal: MantineColorsTuple = [
  '#effcf9',
  '#d5f5ee',
  '#a9eadd',
  '#74dac9',
  '#43c2b1',
  '#23a597',
  '#14857b',
  '#0f766e',
  '#125c57',
  '#134b48',
];

/** Greys with a little blue, so that pages rest the eye in both themes. */
const dark: MantineColorsTuple = [
  '#d5dae1',
  '#b6bec9',
  '#97a2b0',
  '#5d6978',
  '#3d4754',
  '#2f3843',
  '#232b34',
  '#1a2027',
  '#141a20',
  '#0e1317',
];

export const theme = createTheme({
  primaryColor: 'seal',
  primaryShade: { light: 7, dark: 6 },
  colors: { seal, dark },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.05rem' } } },
  cursorType: 'pointer',
});
