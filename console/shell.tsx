import { ActionIcon, Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Link, type LinkProps, Outlet } from '@tanstack/react-router';
import { useMay, useSession } from './session/session.tsx';
import { KeySheet } from './ui/key-sheet.tsx';
import { Logo } from './ui/logo.tsx';

export type Menu = [to: NonNullable<LinkProps['to']>, name: string][];

export function Shell({ menu }: { menu: Menu }) {
  const { apiKey, signOut } = useSession();
  const mayWrite = useMay('write');
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Link to="/" className="brand" aria-label="Partner Signals, home">
          <Logo />
          <span className="brand-name">Partner Signals</span>
        </Link>
        <nav aria-label="Main">
          {menu.map(([to, name]) => (
            <Link
              key={to}
              to={to}
              className="nav-link"
              activeOptions={{ includeSearch: false, exact: to === '/' }}
            >
              {name}
            </Link>
          ))}
        </nav>
        <div className="top-end">
          <p className="soft small whose">
            <bdi>{apiKey.organization.name}</bdi>
            {!mayWrite && <span className="note-tag">Read-only</span>}
          </p>
          <KeySheet />
          <Appearance />
          <Button variant="subtle" color="gray" className="quiet" onClick={signOut}>
            Sign out
          </Button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}

/** Follows the system setting until you switch it. */
function Appearance() {
  // Otherwise Mantine suspends transitions with an inline style, which the content security policy blocks.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="subtle"
      size="lg"
      className="quiet"
      aria-label="Dark mode"
      aria-pressed={dark}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      <svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" aria-hidden="true">
        <circle cx="12" cy="12" r="8.5" strokeWidth="1.8" />
        <path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor" stroke="none" />
      </svg>
    </ActionIcon>
  );
}
