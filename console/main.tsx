import { MantineProvider } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/mantine.css';
import '@fontsource-variable/inter/wght.css';
import './styles/theme.css';
import './styles/app.css';
import './ui/charts/charts.css';
import './home/home.css';
import './signals/signals.css';
import './signals/triage.css';
import './accounts/accounts.css';
import './review/review.css';
import './partners/partners.css';
import './attribution/attribution.css';
import './policy/policy.css';
import './webhooks/webhooks.css';
import './styles/print.css';
import { router } from './router.tsx';
import { SessionGate } from './session/session.tsx';
import { theme } from './theme.ts';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');

// All styles are in files, because the content security policy blocks inline ones.
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <SessionGate>
        <RouterProvider router={router} />
      </SessionGate>
    </MantineProvider>
  </StrictMode>,
);
