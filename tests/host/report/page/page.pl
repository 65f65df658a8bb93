#!/usr/bin/perl
# Makes the parts of report.html that are the same in every report: page.pl OUT.inc PAGE.html PAGE.css SCRIPT.js...
# The page allows itself exactly this style and this script, by their hashes: what a record smuggled in would not run.
use strict;
use warnings;
use Digest::SHA qw(sha256_base64);

my ($out, $html, $css, @scripts) = @ARGV;
@scripts or die "usage: page.pl OUT.inc PAGE.html PAGE.css SCRIPT.js...\n";

sub slurp {
    my ($name) = @_;
    open my $file, '<', $name or die "$name: $!\n";
    local $/;
    return scalar <$file>;
}

# As a Content-Security-Policy names it: padded base64.
sub allowed {
    my $hash = sha256_base64($_[0]);
    $hash .= '=' while length($hash) % 4;
    return "'sha256-$hash'";
}

# Pieces that every C compiler takes: a string literal has at most 4095 characters for certain.
sub literal {
    my ($name, $text) = @_;
    my $made = "static const char *const $name\[] = {\n";
    while ($text =~ /(.{1,1500})/gs) {
        my $piece = $1;
        utf8::encode($piece) if utf8::is_utf8($piece);
        $piece =~ s/([\\"?])/\\$1/g;
        $piece =~ s/\n/\\n/g;
        $piece =~ s/([^\x20-\x7e])/sprintf '\\%03o', ord $1/ge;
        $made .= "    \"$piece\",\n";
    }
    return $made . "};\n";
}

my $style = slurp($css);
my $script = qq|"use strict";\n(() => {\n| . join('', map { slurp($_) } @scripts) . "})();\n";
$script =~ m{</script}i and die "a script ends itself\n";
my $policy = "default-src 'none'; img-src data:; style-src " . allowed($style) . '; script-src ' . allowed($script)
    . "; base-uri 'none'; form-action 'none'";
my $head = qq{<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n}
    . qq{<meta http-equiv="Content-Security-Policy" content="$policy">\n}
    . qq{<meta name="viewport" content="width=device-width,initial-scale=1">\n<meta name="color-scheme" content="light dark">\n}
    . qq{<style>$style</style>\n};
my $body = qq{<div id="app" hidden>\n} . slurp($html) . "</div>\n";

open my $file, '>', $out or die "$out: $!\n";
print $file "/* Made by page.pl. */\n", literal('page_head', $head), literal('page_body', $body), literal('page_script', $script);
close $file or die "$out: $!\n";
