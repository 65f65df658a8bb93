#!/usr/bin/perl
# What --help says, in other forms: help.pl AGPU RUN DIR writes DIR/agpu.1, DIR/agpu-COMMAND.1 for each command, DIR/agpu.bash
# and DIR/_agpu (completion for bash and zsh, of agpu and of RUN, which is tests/run). --help is the one source.
use strict;
use warnings;

my ($agpu, $run, $dir) = @ARGV;
defined $dir or die "usage: help.pl AGPU RUN DIR\n";

sub said {
    open my $pipe, '-|', @_ or die "$_[0]: $!\n";
    local $/;
    my $text = <$pipe>;
    close $pipe or die "@_ ended with status $?\n";
    return $text;
}

# ([kind, ...], ...): ["usage", TEXT], ["option", TERM, TEXT], ["text", TEXT], ["example", TEXT].
sub parse {
    my @parts;
    for my $line (split /\n/, $_[0]) {
        if ($line =~ /^usage: (.*)/ || (@parts && $parts[-1][0] eq 'usage' && $line =~ /^ {7}(\S.*)/)) {
            push @parts, ['usage', $1];
        } elsif ($line =~ /^  (-{1,2}\S.*?|[A-Z]{3,})(?: {2,}(\S.*)|$)/ || $line =~ /^  (--\S+ \S+) (\S.*)$/) {
            push @parts, ['option', $1, $2 // ''];
        } elsif ($line =~ /^ {8,}(\S.*)/ && @parts && $parts[-1][0] eq 'option') {
            $parts[-1][2] .= ($parts[-1][2] eq '' ? '' : ' ') . $1;
        } elsif ($line =~ /^  (\S.*)/) {
            push @parts, ['example', $1];
        } elsif ($line =~ /\S/) {
            if (@parts && $parts[-1][0] eq 'text') { $parts[-1][1] .= " $line" } else { push @parts, ['text', $line] }
        } elsif (@parts && $parts[-1][0] eq 'text') {
            push @parts, ['text', ''];
        }
    }
    return grep { $_->[0] ne 'text' || $_->[1] ne '' } @parts;
}

sub roff {
    my ($text) = @_;
    $text =~ s/\\/\\e/g;
    $text =~ s/-/\\-/g;
    $text =~ s/^([.'])/\\&$1/;
    return $text;
}

sub write_file {
    my ($name, $text) = @_;
    open my $file, '>', "$dir/$name" or die "$dir/$name: $!\n";
    print $file $text;
    close $file or die "$dir/$name: $!\n";
}

sub page {
    my ($title, $name, $purpose, $parts, $more) = @_;
    my $text = '.TH ' . uc($title) . qq( 1 "" "AeroGPU bring-up image" "User Commands"\n.SH NAME\n);
    $text .= roff($name) . ' \- ' . roff($purpose) . "\n";
    my @usage = grep { $_->[0] eq 'usage' } @$parts;
    @usage = (['usage', "$name [OPTIONS]"]) unless @usage;
    $text .= ".SH SYNOPSIS\n.nf\n" . join('', map { roff($_->[1]) . "\n" } @usage) . ".fi\n.SH DESCRIPTION\n";
    for my $part (grep { $_->[0] ne 'usage' } @$parts) {
        if ($part->[0] eq 'option') {
            $text .= ".TP\n\\fB" . roff($part->[1]) . "\\fR\n" . roff($part->[2]) . "\n";
        } elsif ($part->[0] eq 'example') {
            $text .= ".IP\n" . roff($part->[1]) . "\n";
        } else {
            $text .= ".PP\n" . roff($part->[1]) . "\n";
        }
    }
    return $text . $more;
}

my $main = said($agpu, '--help');
my @commands;
while ($main =~ /^  ([a-z-]+) +(\S.*)$/mg) {
    push @commands, [$1, $2];
}
@commands or die "agpu --help names no commands\n";
my %parts = (map({ $_->[0] => [parse(said($agpu, $_->[0], '--help'))] } @commands), 'tests/run' => [parse(said($run, '--help'))]);

# ---- manual ----

for my $command (@commands) {
    my ($name, $purpose) = @$command;
    write_file("agpu-$name.1", page("agpu-$name", "agpu $name", $purpose, $parts{$name}, ".SH SEE ALSO\n.BR agpu (1)\n"));
}
write_file('agpu.1', page('agpu', 'agpu', 'tests a device, collects from boards, reports', [parse($main)],
    ".SH SEE ALSO\n" . join(",\n", map { ".BR agpu\\-$_->[0] (1)" } @commands) . "\n"));

# ---- completion ----

# Of a command: [option, word of its value or "", sentence].
sub options_of {
    my @options;
    for my $part (grep { $_->[0] eq 'option' } @{$parts{$_[0]}}) {
        my ($term, $text) = @$part[1, 2];
        while ($term =~ /(--[a-z][a-z-]*)(?:\[?=?([a-z]+)\]?)?(?: ([^-\s,][^\s,]*))?/g) {
            push @options, [$1, $3 // '', $text];
        }
    }
    return (@options, ['--help', '', 'what there is']);
}

# What the shell offers for the value: words, or one of @cases, @faults, @files; "" for nothing.
sub values_of {
    my ($option, $value) = @_;
    return '@cases' if $option eq '--filter' || $option eq '--case';
    return '@faults' if $option eq '--fault';
    return join ' ', split /\|/, $value if $value =~ /^[a-z0-9-]+(\|[a-z0-9-]+)+$/;
    return 'quick full stress destructive' if $option eq '--tag';
    return 'calls state resources caps' if $option eq '--trace';
    return 'junit ktap csv html json github' if $option eq '--format';
    return '@files' if $value =~ /FILE|DIR|PATH|DEVICE|PROGRAM|PREFIX|^[A-D]$/ || $option eq '--device';
    return '';
}

my ($bash, $zsh) = ('', '');
for my $name ((map { $_->[0] } @commands), 'tests/run') {
    my @options = options_of($name);
    my %seen;
    @options = grep { !$seen{$_->[0]}++ } @options;
    $bash .= "    $name) options='" . join(' ', map { $_->[0] } @options) . "' ;;\n";
    for my $option (grep { $_->[1] ne '' } @options) {
        my $values = values_of(@$option);
        $bash =~ s/\z/    $name:$option->[0]) values='$values' ;;\n/;
    }
}
my $names = join ' ', map { $_->[0] } @commands;
my ($tables, $values) = ('', '');
for my $line (split /\n/, $bash) {
    if ($line =~ /^    \S+:/) { $values .= "$line\n" } else { $tables .= "$line\n" }
}
write_file('agpu.bash', <<"END");
# Completion of agpu and tests/run for bash; made from --help. Source it, or put it into /etc/bash_completion.d.
_agpu() {
    local tool=\$1 current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=tests/run options='' values=none agpu
    COMPREPLY=()
    agpu=\$tool
    [[ \$tool != *tests/run ]] || agpu=\${tool%tests/run}build/host/tests/host/agpu
    if [[ \$tool != *tests/run ]]; then
        command=\${COMP_WORDS[1]}
        if [ "\$COMP_CWORD" = 1 ]; then
            mapfile -t COMPREPLY < <(compgen -W '$names --help --version' -- "\$current")
            return
        fi
    fi
    case \$command in
$tables    esac
    case \$command:\$before in
$values    esac
    if [ "\$values" = none ] && [[ \$current != -* ]]; then
        case \$command in run | list | history | tests/run) values=\@cases ;; *) values=\@files ;; esac
    fi
    case \$values in
    none) mapfile -t COMPREPLY < <(compgen -W "\$options" -- "\$current") ;;
    \@cases) mapfile -t COMPREPLY < <(compgen -W "\$("\$agpu" list --ids "\$current*" 2>/dev/null)" -- "\$current") ;;
    \@faults) mapfile -t COMPREPLY < <(compgen -W "\$("\$agpu" vdev --list-faults 2>/dev/null | cut -d' ' -f1)" -- "\$current") ;;
    \@files) mapfile -t COMPREPLY < <(compgen -f -- "\$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "\$values" -- "\$current") ;;
    esac
}
complete -o filenames -F _agpu agpu tests/run ./tests/run
END

sub zsh_spec {
    my ($option, $value, $text) = @_;
    my $offer = $value eq '' ? '' : values_of($option, $value);
    $text = length $text > 70 ? substr($text, 0, 70) . '...' : $text;
    $text =~ s/['\[\]:\\]//g;
    $value =~ s/['\[\]:\\(){}]//g;
    my $action = $offer eq '@cases' ? '{_agpu_cases}' : $offer eq '@faults' ? '{_agpu_faults}' : $offer eq '@files' ? '_files'
        : $offer ne '' ? "($offer)" : ' ';
    return "'*$option\[$text]" . ($value eq '' ? '' : ":$value:$action") . "'";
}
for my $name ((map { $_->[0] } @commands), 'tests/run') {
    my %seen;
    my @specs = map { zsh_spec(@$_) } grep { !$seen{$_->[0]}++ } options_of($name);
    my $rest = $name =~ /run|list/ ? "'*:case:{_agpu_cases}'" : "'*:file:_files'";
    $zsh .= "    $name) _arguments " . join(" \\\n        ", @specs, $rest) . " ;;\n";
}
write_file('_agpu', <<"END");
#compdef agpu tests/run
# Completion of agpu and tests/run for zsh; made from --help. Put it into a folder of \$fpath.
_agpu_tool() { [[ \$service == *tests/run ]] && print build/host/tests/host/agpu || print agpu }
_agpu_cases() { compadd -- \${(f)"\$(\$(_agpu_tool) list --ids 2>/dev/null)"} }
_agpu_faults() { compadd -- \${(f)"\$(\$(_agpu_tool) vdev --list-faults 2>/dev/null | cut -d' ' -f1)"} }
local command=tests/run
if [[ \$service != *tests/run ]]; then
    if (( CURRENT == 2 )); then
        compadd -- $names
        return
    fi
    command=\$words[2]
    shift words
    (( CURRENT-- ))
fi
case \$command in
$zsh esac
END
