<?php

/** Runs all tests, or those whose name contains the word given. */

declare(strict_types=1);

require __DIR__ . '/support.php';

set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    // Silenced by @ where the code looks at the result itself.
    return (error_reporting() & $level) === 0 ? false : throw new ErrorException($message, 0, $level, $file, $line);
});

[$ran, $failed] = [0, 0];
foreach (['client', 'file', 'outbox'] as $file) {
    foreach (require __DIR__ . "/$file.php" as $name => $test) {
        if (!str_contains($name, $argv[1] ?? '')) {
            continue;
        }
        $ran++;
        $started = microtime(true);
        $world = new World();
        try {
            $test($world);
            printf("ok      %s (%.1f s)\n", $name, microtime(true) - $started);
        } catch (Throwable $error) {
            $failed++;
            printf("FAILED  %s\n%s\n%s\n", $name, $error, @file_get_contents("$world->folder/stderr"));
        } finally {
            $world->end();
        }
    }
}
echo "$ran tests, $failed failed\n";
exit($failed === 0 ? 0 : 1);
