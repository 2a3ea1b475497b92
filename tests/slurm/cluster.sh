#!/usr/bin/env bash
# A Slurm of two nodes on this one machine, for tests. Needs root, and the Debian packages
# slurm-wlm and munge (`./dev deps --cluster` installs them).
#
#   cluster.sh start DIR     everything that it writes goes into DIR; prints what to export
#   cluster.sh stop DIR      ends what `start DIR` began
set -euo pipefail

usage() { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 64; }
say() { printf 'cluster: %s\n' "$*" >&2; }

packages=(slurm-wlm munge)
missing() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^.i' ||
      printf '%s\n' "$package"
  done
}

# slurmctld and slurmd find everything through this file. Ports and folders are our own, so that it
# does not meet another Slurm.
write_configuration() {
  local dir="$1" host port
  host="$(hostname -s)"
  port=$((20000 + RANDOM % 20000))
  mkdir -p "$dir"/{state,spool-n1,spool-n2,log}
  cat >"$dir/slurm.conf" <<CONF
ClusterName=sourir
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CryptoType=crypto/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
MailProg=/bin/true
SlurmdTimeout=10
SlurmctldTimeout=30
KillWait=2
MinJobAge=3600
SchedulerParameters=batch_sched_delay=0,sched_interval=2
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 RealMemory=1024
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 RealMemory=1024
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
}

start_munge() {
  local dir="$1"
  dd if=/dev/urandom of="$dir/munge.key" bs=128 count=1 2>/dev/null
  chmod 0400 "$dir/munge.key"
  chmod 0755 "$dir"
  /usr/sbin/munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" \
    --pid-file="$dir/munged.pid" --log-file="$dir/log/munged.log" --seed-file="$dir/munge.seed"
}

start() {
  local dir="$1" try
  [ "$(id -u)" -eq 0 ] || { say "needs root"; exit 77; }
  if [ -n "$(missing)" ]; then
    say "missing: $(missing | tr '\n' ' ')(./dev deps --cluster installs them)"
    exit 77
  fi
  mkdir -p "$dir"
  write_configuration "$dir"
  export SLURM_CONF="$dir/slurm.conf"
  start_munge "$dir"
  slurmctld -c
  slurmd -N n1
  slurmd -N n2
  for try in $(seq 60); do
    if [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" -eq 2 ]; then
      echo "export SLURM_CONF=$SLURM_CONF"
      return
    fi
    sleep 0.5
  done
  say "the nodes are not ready after $((try / 2)) s; the logs are in $dir/log"
  tail -n 20 "$dir"/log/*.log >&2
  exit 1
}

# Only processes that we began, by the numbers that they wrote down.
stop() {
  local dir="$1" file pid
  for file in "$dir"/slurmd-n1.pid "$dir"/slurmd-n2.pid "$dir"/slurmctld.pid "$dir"/munged.pid; do
    [ -f "$file" ] || continue
    pid="$(cat "$file")"
    kill "$pid" 2>/dev/null || continue
    for _ in $(seq 50); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
  done
}

case "${1:-}" in
start | stop) [ $# -eq 2 ] || usage; "$1" "$2" ;;
*) usage ;;
esac
