import { Alert, type CSSVariablesResolver, createTheme, type MantineColorsTuple, Modal, Text } from '@mantine/core';

/** The one accent colour; the seal on every receipt has it. */
const seal: MantineColorsTuple = [
  '#effcf9',
  '#d5f5ee',
  '#a9eadd',
  '#74dac9',
  '#43c2b1',
  '#23a597',
  '#127d74',
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
  components: {
    Text: Text.extend({ defaultProps: { size: 'sm' } }),
    Alert: Alert.extend({ defaultProps: { variant: 'light' } }),
    Modal: Modal.extend({
      // A cross without a name means nothing to a person who cannot see it.
      defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 650 } },
    }),
  },
});

/** Where the library's own shades are too faint to read, darker or lighter ones: WCAG AA asks for 4.5 to 1. */
export const readableColours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#56616c',
    '--mantine-color-placeholder': '#6b7680',
    '--mantine-color-error': '#b42318',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-red-light-color': '#a3201c',
    '--mantine-color-gray-light-color': '#434d57',
    '--mantine-color-blue-light-color': '#14539a',
    '--mantine-color-seal-light-color': '#0b5a54',
  },
  dark: {
    '--mantine-color-dimmed': '#9aa6b3',
    '--mantine-color-disabled-color': '#aab4c0',
    '--mantine-color-disabled-border': '#5d6978',
    '--mantine-color-placeholder': '#8793a0',
    '--mantine-color-error': '#ff9b93',
    '--mantine-color-anchor': '#43c2b1',
    '--mantine-color-yellow-light-color': '#ffd873',
    '--mantine-color-red-light-color': '#ffb1ab',
    '--mantine-color-gray-light': '#2f3843',
    '--mantine-color-gray-light-color': '#c3ccd6',
    '--mantine-color-blue-light-color': '#a5cdff',
    '--mantine-color-seal-light': '#17423e',
    '--mantine-color-seal-light-hover': '#1b4d48',
    '--mantine-color-seal-light-color': '#7fe0d0',
  },
});
